import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLATFORMS } from "#core/platform.ts";
import { freePort, isAnswering, migrate, type Service, sleep, startService } from "../service.ts";
import { ApiClient } from "./api-client.ts";
import { checkInvariants, type CrashReport, type Violation } from "./check-invariants.ts";
import { checkWebhooks, findWebhookViolations, type WebhookReport } from "./check-webhooks.ts";
import { findLeaks, issuedSecrets, readLogs } from "./find-leaks.ts";
import { injectFaults } from "./inject-faults.ts";
import { readMediaFiles } from "./media-kinds.ts";
import { expectsWebhookViolation, findFirstViolation, LEAK } from "./monitor-violations.ts";
import { startPatiently } from "./restart.ts";
import { createSandboxUser } from "./sandbox-user.ts";
import { SeededRandom } from "./seeded-random.ts";
import { TrafficGenerator } from "./traffic-generator.ts";
import { TwoClients } from "./two-clients.ts";
import { UniqueFiles } from "./unique-files.ts";
import { WebhookReceivers } from "./webhook-receivers.ts";

const CRON_EVERY_MS = 5000;
const VERIFY_EVERY_MS = 5000;
/** A killed sender continues after half a minute; a restart and a silent receiver add to that. */
const MAX_DELIVERY_MS = 75_000;
/** In runs without kills, so that a missing delivery shows before the run ends. */
const UNDISTURBED_DELIVERY_MS = 40_000;
const RESTART_TIMEOUT_MS = 6000;
/** Each user has its own account on every platform, and therefore its own daily caps. */
const USERS = 4;
/** Longer than most posts of the traffic have until they are due. */
const SLOW_KV_MS = 15_000;
/** More only make each other's answers late, until the due time of their previews has passed. */
const MAX_UNCONFIRMED_POSTS = 10;

export interface RunOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Posts a second. */
  readonly rate: number;
  readonly faultRate: number;
  /** The only failpoint that fails; all of them when absent. */
  readonly failpoint?: string | undefined;
  readonly kills: boolean;
  /** Whether other locations see a new key of KV only after some seconds. */
  readonly hasSlowKv: boolean;
  readonly maxWaitMs: number;
  readonly root: string;
  /** Keeps the state and the service's log. */
  readonly keep: boolean;
  /** Ends the run at the first violation that matches one of these. */
  readonly expectedViolations: readonly RegExp[];
}

export interface RunResult {
  readonly report: CrashReport;
  readonly webhooks: WebhookReport;
  readonly kills: number;
  readonly faults: number;
  /** Reads of KV that found nothing although the token was written, since the last start of the service; null with a fast KV. */
  readonly kvMisses: number | null;
  readonly hiddenTokens: number;
  /** How often a preview was refused, by code. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Lines of the processes' output that contain a secret, and the number of secrets that were issued. */
  readonly leaks: readonly string[];
  readonly secretCount: number;
  /** The first violation that matched, and how long after the start it was found. */
  readonly match: { readonly violation: Violation; readonly afterMs: number } | null;
}

/** Violations that the checks during the run missed. An open post (I2) is no violation here, because the check did not wait for it. */
function findAtEnd(
  patterns: readonly RegExp[],
  violations: readonly Violation[],
  leaks: readonly string[],
  afterMs: number,
): RunResult["match"] {
  const leaked = leaks.map((what) => ({ invariant: LEAK, marker: "", what }));
  const violation = [...violations.filter(({ invariant }) => invariant !== "I2"), ...leaked].find(
    ({ invariant, what }) => patterns.some((pattern) => pattern.test(`${invariant} ${what}`)),
  );
  return violation ? { violation, afterMs } : null;
}

async function answersAgain(origin: string): Promise<boolean> {
  for (const deadline = Date.now() + RESTART_TIMEOUT_MS; Date.now() < deadline; await sleep(200)) {
    if (await isAnswering(origin)) {
      return true;
    }
  }
  return false;
}

export async function run(options: RunOptions): Promise<RunResult> {
  const random = new SeededRandom(options.seed);
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-crash-"));
  const logFile = join(stateDir, "service.log");
  const simulatorsLogFile = join(stateDir, "simulators.log");
  // The simulators have their own process, which is never killed, because platforms finish what they have received.
  const simulators = await startService({
    environment: "simulators",
    port: await freePort(),
    stateDir: join(stateDir, "simulators"),
    logFile: simulatorsLogFile,
    root: options.root,
  });
  const port = await freePort();
  const start = (): Promise<Service> =>
    startService({
      port,
      stateDir,
      logFile,
      root: options.root,
      vars: {
        SIMULATORS_ORIGIN: simulators.origin,
        FAULT_RATE: String(options.faultRate),
        ...(options.hasSlowKv && { SLOW_KV_MS: String(SLOW_KV_MS) }),
        ...(options.failpoint !== undefined && { FAULT_POINT: options.failpoint }),
      },
    });
  const stopRun = new AbortController();
  let service: Service | undefined;
  let kills = 0;
  try {
    await migrate(stateDir, { root: options.root });
    const { origin } = (service = await start());
    const client = new ApiClient(origin, simulators.origin);
    const media = await readMediaFiles(origin);
    const files = await UniqueFiles.read(client, origin);
    const receivers = new WebhookReceivers(client, origin);
    const webhooks = { client, receivers, stateDir };
    const users = await Promise.all(
      Array.from({ length: USERS }, async (_, index) => {
        const user = await createSandboxUser(client, origin, PLATFORMS, index % 2 === 1);
        await receivers.create(user.apiKey, index, options.seed);
        return new TrafficGenerator(client, random, user, `p${index}`, { media, files });
      }),
    );
    const clients = await TwoClients.create(client);
    const searchLogs = async () => {
      const secrets = await issuedSecrets(client);
      const log = await readLogs([logFile, simulatorsLogFile]);
      return { leaks: findLeaks(log, secrets), secretCount: secrets.size };
    };
    const isStopped = (): boolean => stopRun.signal.aborted;
    const cronLoop = (async () => {
      while (!stopRun.signal.aborted) {
        await client.call("POST", "/sandbox/cron", {});
        await sleep(CRON_EVERY_MS);
      }
    })();
    const verifyLoop = (async () => {
      while (!stopRun.signal.aborted) {
        await receivers.verify();
        await sleep(VERIFY_EVERY_MS);
      }
    })();
    const clientLoop = clients.run(isStopped);
    const faultInjection = injectFaults(client, random, PLATFORMS, isStopped);
    const killLoop = (async () => {
      while (options.kills && !stopRun.signal.aborted) {
        await sleep(random.between(6000, 22_000));
        if (stopRun.signal.aborted) {
          return;
        }
        kills += 1;
        const runtimeAlone = random.chance(0.5);
        await (runtimeAlone ? service?.killRuntime() : service?.kill());
        // The supervisor restarts a killed runtime, but its proxy sometimes stays silent, so the supervisor is killed too.
        if (!runtimeAlone || !(await answersAgain(origin))) {
          await service?.kill();
          service = await startPatiently(start);
        }
      }
    })();
    const startedAt = Date.now();
    const end = startedAt + options.minutes * 60_000;
    const violationFound = new AbortController();
    const firstMatch = (async (): Promise<RunResult["match"]> => {
      const violation = await findFirstViolation(
        client,
        options.expectedViolations,
        users,
        () => Date.now() > end,
        async () => (await searchLogs()).leaks,
        () => findWebhookViolations(webhooks, options.kills ? 0 : Date.now() - UNDISTURBED_DELIVERY_MS),
      );
      const afterMs = Date.now() - startedAt;
      if (!violation) {
        return null;
      }
      violationFound.abort();
      return { violation, afterMs };
    })();
    while (Date.now() < end && !violationFound.signal.aborted) {
      const user = random.pick(users);
      if (users.reduce((total, other) => total + other.unconfirmedPosts, 0) < MAX_UNCONFIRMED_POSTS) {
        user.startPost((Date.now() - startedAt) / (end - startedAt));
      }
      await sleep(Math.min(1000, 1000 / options.rate));
    }
    await Promise.all(users.map((user) => user.waitUntilIdle()));
    stopRun.abort();
    await Promise.all([cronLoop, killLoop, verifyLoop, clientLoop]);
    const [injectedCount, foundMeanwhile] = await Promise.all([faultInjection, firstMatch]);
    const { misses } = await client.callUntilOk("GET", "/sandbox/kv");
    const expectedPosts = users.flatMap((user) => user.expectedPosts);
    const report = await checkInvariants(client, expectedPosts, PLATFORMS, foundMeanwhile ? 0 : options.maxWaitMs);
    const isSettled = options.maxWaitMs > 0 || expectsWebhookViolation(options.expectedViolations);
    const webhookReport = await checkWebhooks(webhooks, isSettled && !foundMeanwhile ? MAX_DELIVERY_MS : 0);
    const { leaks, secretCount } = await searchLogs();
    const violations = [...report.violations, ...webhookReport.violations, ...(await clients.findViolations())];
    const match = foundMeanwhile ?? findAtEnd(options.expectedViolations, violations, leaks, Date.now() - startedAt);
    const refusals = new Map<string, number>();
    for (const [code, count] of users.flatMap((user) => [...user.refusals])) {
      refusals.set(code, (refusals.get(code) ?? 0) + count);
    }
    return {
      report: { ...report, violations },
      webhooks: webhookReport,
      kills,
      faults: injectedCount,
      kvMisses: misses as number | null,
      hiddenTokens: users.reduce((sum, user) => sum + user.hiddenTokens, 0),
      refusals,
      leaks,
      secretCount,
      match,
    };
  } finally {
    stopRun.abort();
    await service?.stop();
    await simulators.stop();
    if (options.keep) {
      console.log(`  state and log are in ${stateDir}`);
    } else {
      await rm(stateDir, { recursive: true, force: true });
    }
  }
}
