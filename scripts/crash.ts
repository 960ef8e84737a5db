import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { ApiClient, sleep } from "./crash/api-client.ts";
import { injectFaults } from "./crash/inject-faults.ts";
import { type EndTimes, killDuringPublish } from "./crash/kill-during-publish.ts";
import { createCopy, type Mutant, MUTANTS, removeCopy } from "./crash/mutants.ts";
import { missedMinimums } from "./crash/minimums.ts";
import { startPatiently } from "./crash/restart.ts";
import { SeededRandom } from "./crash/seeded-random.ts";
import { TrafficGenerator } from "./crash/traffic-generator.ts";
import { checkInvariants, type CrashReport, type Violation } from "./crash/check-invariants.ts";
import { findFirstViolation } from "./crash/monitor-violations.ts";
import { createSandboxUser, CRASH_TEST_PLATFORMS } from "./crash/sandbox-user.ts";
import { isAnswering, freePort, migrate, type Service, startService } from "./service.ts";

/*
 * The crash test: `npm run crash -- [--minutes 0.5] [--seed 1] [--rate 18] [--mutants] [--mutant NAME] [--mid-publish] [--no-kills] [--keep]`,
 * and with --mid-publish `[--rounds 3] [--platforms tiktok,x]`.
 * It runs the real runtime with its state on disk, sends calls near the due time, injects platform faults and kills the
 * processes with `kill -9` at random times. At the end it compares the posts on the platforms with the API. Exit code 1 on
 * any violation, when the run confirmed, published or killed too little to show anything, and with --mutants when a mutant is not caught. With --mid-publish only the process is killed, while posts are
 * being published: each must be on its platform once and have ended a minute after the restart, or as soon as its platform allows.
 */

const ROOT = join(import.meta.dirname, "..");
const MAX_WAIT_MS = 150_000;
/** Runs of at least this length wait until the slowest verification has an answer. */
const SOAK_MINUTES = 5;
const SOAK_MAX_WAIT_MS = 480_000;
/** Long enough for the crash test to detect the missing mechanism. */
const MUTANT_MINUTES = 1;
const CRON_EVERY_MS = 5000;
const RESTART_TIMEOUT_MS = 6000;

interface RunOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Posts a second. */
  readonly rate: number;
  readonly faultRate: number;
  /** The only failpoint that fails; all of them when absent. */
  readonly failpoint?: string | undefined;
  readonly kills: boolean;
  readonly maxWaitMs: number;
  readonly root: string;
  /** Keeps the state and the service's log. */
  readonly keep: boolean;
  /** Ends the run at the first violation that matches one of these. */
  readonly expectedViolations: readonly RegExp[];
}

interface RunResult {
  readonly report: CrashReport;
  readonly kills: number;
  readonly faults: number;
  /** The first violation that matched, and how long after the start it was found. */
  readonly match: { readonly violation: Violation; readonly afterMs: number } | null;
}

async function answersAgain(origin: string): Promise<boolean> {
  for (const deadline = Date.now() + RESTART_TIMEOUT_MS; Date.now() < deadline; await sleep(200)) {
    if (await isAnswering(origin)) {
      return true;
    }
  }
  return false;
}

async function run(options: RunOptions): Promise<RunResult> {
  const random = new SeededRandom(options.seed);
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-crash-"));
  const port = await freePort();
  const start = (): Promise<Service> =>
    startService({
      port,
      stateDir,
      logFile: join(stateDir, "service.log"),
      root: options.root,
      vars: {
        FAULT_RATE: String(options.faultRate),
        ...(options.failpoint !== undefined && { FAULT_POINT: options.failpoint }),
      },
    });
  await migrate(stateDir);
  let service = await start();
  const client = new ApiClient(service.origin);
  const stopRun = new AbortController();
  let kills = 0;
  try {
    const users = await Promise.all(
      Array.from(
        { length: 3 },
        async (_, index) =>
          new TrafficGenerator(client, random, await createSandboxUser(client, service.origin), `p${index}`),
      ),
    );
    const isStopped = (): boolean => stopRun.signal.aborted;
    const cronLoop = (async () => {
      while (!stopRun.signal.aborted) {
        await client.call("POST", "/sandbox/cron", {});
        await sleep(CRON_EVERY_MS);
      }
    })();
    const faultInjection = injectFaults(client, random, CRASH_TEST_PLATFORMS, isStopped);
    const killLoop = (async () => {
      while (options.kills && !stopRun.signal.aborted) {
        await sleep(random.between(6000, 22_000));
        if (stopRun.signal.aborted) {
          return;
        }
        kills += 1;
        const runtimeAlone = random.chance(0.5);
        await (runtimeAlone ? service.killRuntime() : service.kill());
        // The supervisor restarts a killed runtime, but its proxy sometimes does not answer again: then it is killed too.
        if (!runtimeAlone || !(await answersAgain(service.origin))) {
          await service.kill();
          service = await startPatiently(start);
        }
      }
    })();
    const startedAt = Date.now();
    const end = startedAt + options.minutes * 60_000;
    const violationFound = new AbortController();
    const firstMatch = (async (): Promise<RunResult["match"]> => {
      const violation = await findFirstViolation(client, options.expectedViolations, users, () => Date.now() > end);
      const afterMs = Date.now() - startedAt;
      if (!violation) {
        return null;
      }
      violationFound.abort();
      return { violation, afterMs };
    })();
    while (Date.now() < end && !violationFound.signal.aborted) {
      const user = random.pick(users);
      if (users.reduce((total, other) => total + other.activePosts, 0) < options.rate * 15) {
        user.startPost();
      }
      await sleep(Math.min(1000, 1000 / options.rate));
    }
    await Promise.all(users.map((user) => user.waitUntilIdle()));
    stopRun.abort();
    await Promise.all([cronLoop, killLoop]);
    const [injectedCount, match] = await Promise.all([faultInjection, firstMatch]);
    const expectedPosts = users.flatMap((user) => user.expectedPosts);
    const report = await checkInvariants(client, expectedPosts, CRASH_TEST_PLATFORMS, match ? 0 : options.maxWaitMs);
    return { report, kills, faults: injectedCount, match };
  } finally {
    stopRun.abort();
    await service.stop();
    if (options.keep) {
      console.log(`  state and log are in ${stateDir}`);
    } else {
      await rm(stateDir, { recursive: true, force: true });
    }
  }
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

function printReport(name: string, { report, kills, faults }: RunResult, seconds: number): void {
  const { lateMs, violations, states } = report;
  const rows: [string, string][] = [
    ["run", name],
    ["seconds", seconds.toFixed(0)],
    ["confirmed posts", String(report.posts)],
    ["accepted by platforms", String(report.accepted)],
    ["kills -9", String(kills)],
    ["platform faults", String(faults)],
    [
      "states",
      Object.entries(states)
        .map(([state, count]) => `${state} ${count}`)
        .join(", "),
    ],
    ["unconfirmed targets", String(report.unconfirmed)],
    [
      "late p50 / p99 / max",
      [0.5, 0.99, 1].map((share) => `${(percentile(lateMs, share) / 1000).toFixed(2)} s`).join(" / "),
    ],
    ["violations", String(violations.length)],
  ];
  for (const [label, value] of rows) {
    console.log(`  ${label.padEnd(22)} ${value}`);
  }
  for (const violation of violations.slice(0, 20)) {
    console.log(`  ${violation.invariant} ${violation.marker}: ${violation.what}`);
  }
}

/** A one-minute run under the conditions in which a mutant must be detected. */
function mutantRun(base: RunOptions, { failpoint }: Pick<Mutant, "failpoint">): RunOptions {
  const overrides = failpoint === undefined ? {} : { failpoint, faultRate: 1, kills: false };
  return { ...base, ...overrides, minutes: MUTANT_MINUTES, maxWaitMs: 0 };
}

async function isMutantCaught(mutant: Mutant, base: RunOptions): Promise<boolean> {
  const root = await createCopy(ROOT, mutant);
  try {
    const { match } = await run({ ...mutantRun(base, mutant), root, expectedViolations: mutant.expectedViolations });
    console.log(
      `${match ? "caught  " : "SURVIVED"} ${mutant.name} (${mutant.what})` +
        (match
          ? ` after ${(match.afterMs / 1000).toFixed(0)} s: ${match.violation.invariant} ${match.violation.what}`
          : ` for ${MUTANT_MINUTES * 60} s`),
    );
    return match !== null;
  } finally {
    await removeCopy(root);
  }
}

/** Runs the unmodified service under the same conditions; a violation here is a false alarm of the crash test. */
async function isUnmodifiedClean(mutants: readonly Mutant[], base: RunOptions): Promise<boolean> {
  const [first] = mutants;
  const { match } = await run({
    ...mutantRun(base, first ?? {}),
    expectedViolations: mutants.flatMap((mutant) => mutant.expectedViolations),
  });
  const names = mutants.map((mutant) => mutant.name).join(", ");
  console.log(
    match
      ? `FALSE ALARM without ${names}: ${match.violation.invariant} ${match.violation.marker} ${match.violation.what}`
      : `clean    without ${names} for ${MUTANT_MINUTES * 60} s`,
  );
  return match === null;
}

interface KillOptions {
  readonly root: string;
  readonly seed: number;
  readonly rounds: number;
  readonly platforms: readonly Platform[];
}

/** Prints one line per kill and platform. */
async function runKillDuringPublish({ root, seed, rounds, platforms }: KillOptions): Promise<boolean> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-crash-"));
  const port = await freePort();
  const start = (): Promise<Service> => startService({ port, stateDir, logFile: join(stateDir, "service.log"), root });
  await migrate(stateDir);
  let service = await start();
  try {
    const client = new ApiClient(service.origin);
    const restart = async () => {
      await service.kill();
      service = await startPatiently(start);
    };
    const results = killDuringPublish(client, new SeededRandom(seed), service.origin, restart, { rounds, platforms });
    let allRoundsPassed = true;
    for await (const { killedAfterMs, posts, recoveries, violations } of results) {
      const describeEndTimes = ({ posts: open, lastMs }: EndTimes): string =>
        `${String(open).padStart(2)}${open === 0 ? "" : `, the last after ${(lastMs / 1000).toFixed(1)} s`}`.padEnd(28);
      console.log(
        `  killed ${killedAfterMs} ms after the due time of ${posts} posts; violations ${violations.length}; ended after the restart:`,
      );
      for (const { platform, arrived, notArrived } of recoveries) {
        console.log(
          `    ${platform.padEnd(10)} already published ${describeEndTimes(arrived)} not published ${describeEndTimes(notArrived)}`.trimEnd(),
        );
      }
      for (const violation of violations) {
        console.log(`    ${violation}`);
      }
      allRoundsPassed &&= violations.length === 0;
    }
    return allRoundsPassed;
  } finally {
    await service.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "0.5" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    rate: { type: "string", default: "18" },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    "mid-publish": { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    platforms: { type: "string", default: PLATFORMS.join() },
    "no-kills": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
/** The runtime restarts when a source changes, which would be another kill: a copy does not change during the run. */
const base: RunOptions = {
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  rate: Number(values.rate),
  faultRate: 0.03,
  kills: !values["no-kills"],
  maxWaitMs: Number(values.minutes) >= SOAK_MINUTES ? SOAK_MAX_WAIT_MS : MAX_WAIT_MS,
  root: await createCopy(ROOT, { name: "unmodified", changes: [] }),
  keep: values.keep,
  expectedViolations: [],
};
console.log(`seed ${base.seed}`);
try {
  if (values.mutants || values.mutant !== undefined) {
    const selected = MUTANTS.filter((mutant) => values.mutant === undefined || mutant.name === values.mutant);
    const results: boolean[] = [];
    for (const mutants of Map.groupBy(selected, ({ failpoint }) => failpoint).values()) {
      results.push(await isUnmodifiedClean(mutants, base));
    }
    for (const mutant of selected) {
      results.push(await isMutantCaught(mutant, base));
    }
    process.exitCode = results.every(Boolean) ? 0 : 1;
  } else if (values["mid-publish"]) {
    const names = values.platforms.split(",");
    const platforms = PLATFORMS.filter((platform) => names.includes(platform));
    const passed = await runKillDuringPublish({
      root: base.root,
      seed: base.seed,
      rounds: Number(values.rounds),
      platforms,
    });
    process.exitCode = passed ? 0 : 1;
  } else {
    const started = Date.now();
    const result = await run(base);
    printReport("the unmodified service", result, (Date.now() - started) / 1000);
    const { posts: confirmed, accepted, violations } = result.report;
    const missed = missedMinimums({ confirmed, accepted, kills: result.kills }, base.minutes, base.kills);
    for (const message of missed) {
      console.log(`  too little: ${message}`);
    }
    process.exitCode = violations.length > 0 || missed.length > 0 ? 1 : 0;
  }
} finally {
  await removeCopy(base.root);
}
