import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { ApiClient } from "./crash/api-client.ts";
import { type EndTimes, killDuringPublish } from "./crash/kill-during-publish.ts";
import { QUICK_RETRIES } from "./crash/mutants.ts";
import { missedMinimums } from "./crash/minimums.ts";
import { startPatiently } from "./crash/restart.ts";
import { run, type RunOptions, type RunResult } from "./crash/run.ts";
import { runMutants } from "./crash/run-mutants.ts";
import { type LostState, loseState } from "./crash/lose-state.ts";
import { SeededRandom } from "./crash/seeded-random.ts";
import { quantile } from "./quantile.ts";
import { freePort, migrate, type Service, startService } from "./service.ts";
import { buildCopy, createCopy, removeCopy } from "./source-copy.ts";

/*
 * The crash test: `npm run crash -- [--minutes 0.5] [--seed 1] [--rate 18] [--mutants] [--mutant NAME,NAME] [--mid-publish] [--no-kills] [--slow-kv]
 * [--keep]`, and with --mid-publish `[--rounds 3] [--platforms tiktok,x]`; `--restore` and `--lose-objects` lose state (crash/lose-state.ts).
 * It runs the real runtime with its state on disk, sends calls near the due time, injects platform faults and kills the
 * processes with `kill -9` at random times, but not the simulators: platforms finish what they have received. The posts go to
 * all platforms, as texts, pictures, carousels and videos, with up to five targets. With --slow-kv the calls come from three
 * locations, and one sees what another wrote into KV only after seconds. At the end it compares the posts on the
 * platforms with the API, and searches the whole log for every secret that was issued. Exit code 1 on any violation or leak,
 * when the run did too little to show anything (crash/minimums.ts), and with --mutants when a mutant is not caught.
 * With --mid-publish only the process is killed, while posts are being published: each must be on its platform once and have
 * ended a minute after the restart, or as soon as its platform allows.
 */

const ROOT = join(import.meta.dirname, "..");
const MAX_WAIT_MS = 150_000;
/**
 * Platforms for `--restore` and `--lose-objects`. They accept a text alone; platforms that list new posts late would
 * only prolong the run.
 */
const LOSS_PLATFORMS: readonly string[] = ["x", "linkedin", "threads", "bluesky"];
/** The minutes from which on a run waits for the slowest verification. */
const SOAK_MINUTES = 5;
const SOAK_MAX_WAIT_MS = 480_000;

const formatCounts = (counts: Iterable<readonly [string, number]>): string =>
  Array.from(counts, ([name, count]) => `${name} ${count}`).join(", ");

const kvRow = (misses: number, hiddenTokens: number): [string, string] => [
  "slow KV",
  `${misses} tokens not seen since the last start, ${hiddenTokens} confirms sent again`,
];

function printReport(name: string, result: RunResult, seconds: number): void {
  const { report, webhooks, kills, faults, refusals, leaks, kvMisses, hiddenTokens } = result;
  const { lateMs, violations, states } = report;
  const rows: [string, string][] = [
    ["run", name],
    ["seconds", seconds.toFixed(0)],
    ["confirmed posts", String(report.posts)],
    ["accepted by platforms", String(report.accepted)],
    ["kills -9", String(kills)],
    ["platform faults", String(faults)],
    ["accepted by", formatCounts(report.acceptedBy)],
    ["refused previews", formatCounts(refusals)],
    ...(kvMisses === null ? [] : [kvRow(kvMisses, hiddenTokens)]),
    ["states", formatCounts(Object.entries(states))],
    ["unconfirmed targets", String(report.unconfirmed)],
    [
      "late p50 / p99 / max",
      [0.5, 0.99, 1].map((share) => `${(quantile(lateMs, share) / 1000).toFixed(2)} s`).join(" / "),
    ],
    ["events", `${webhooks.events}, ${webhooks.delivered} deliveries accepted`],
    ["webhooks answered", formatCounts(webhooks.tries)],
    ["violations", String(violations.length)],
    ["leaks", `${leaks.length} in the log, of ${result.secretCount} secrets`],
  ];
  for (const [label, value] of rows) {
    console.log(`  ${label.padEnd(22)} ${value}`);
  }
  for (const violation of violations.slice(0, 20)) {
    console.log(`  ${violation.invariant} ${violation.marker}: ${violation.what}`);
  }
  for (const leak of leaks.slice(0, 20)) {
    console.log(`  leak: ${leak}`);
  }
}

interface KillOptions {
  readonly root: string;
  readonly seed: number;
  readonly rounds: number;
  readonly platforms: readonly Platform[];
}

/** Kills the service during publishing. Prints one line per kill and platform. */
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

/**
 * Loses state during the run. Fails on any post that is doubled, missing, public after its cancel or with its old text,
 * or different from what the API says.
 */
async function runLoss(lost: LostState, root: string, platforms: readonly Platform[]): Promise<boolean> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-crash-"));
  const port = await freePort();
  try {
    await migrate(stateDir);
    const start = () => startService({ port, stateDir, logFile: join(stateDir, "service.log"), root });
    const { statuses, posts, acceptedBeforeLoss, ...counts } = await loseState({ lost, start, stateDir, platforms });
    console.log(`  confirmed posts ${posts}, accepted before the loss ${acceptedBeforeLoss}`);
    for (const [name, count] of Object.entries(counts)) {
      console.log(`  ${name.padEnd(22)} ${count}`);
    }
    for (const [outcome, count] of statuses) {
      console.log(`    ${outcome.padEnd(50)} ${count}`);
    }
    return acceptedBeforeLoss > 0 && Object.values(counts).every((count) => count === 0);
  } finally {
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
    restore: { type: "boolean", default: false },
    "lose-objects": { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    platforms: { type: "string", default: PLATFORMS.join() },
    "no-kills": { type: "boolean", default: false },
    "slow-kv": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
/**
 * The run uses a copy of the sources, because the runtime restarts when a source changes, which would count as another
 * kill.
 */
const base: RunOptions = {
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  rate: Number(values.rate),
  faultRate: 0.03,
  kills: !values["no-kills"],
  hasSlowKv: values["slow-kv"],
  maxWaitMs: Number(values.minutes) >= SOAK_MINUTES ? SOAK_MAX_WAIT_MS : MAX_WAIT_MS,
  root: await createCopy(ROOT, [QUICK_RETRIES]),
  keep: values.keep,
  expectedViolations: [],
};
console.log(`seed ${base.seed}`);
try {
  await buildCopy(base.root, ["sandbox", "simulators"]);
  if (values.mutants || values.mutant !== undefined) {
    process.exitCode = (await runMutants(base, values.mutant?.split(","))) ? 0 : 1;
  } else if (values.restore || values["lose-objects"]) {
    const names = values.platforms === PLATFORMS.join() ? LOSS_PLATFORMS : values.platforms.split(",");
    const passed = await runLoss(
      values.restore ? "database" : "objects",
      base.root,
      PLATFORMS.filter((platform) => names.includes(platform)),
    );
    process.exitCode = passed ? 0 : 1;
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
    const { posts: confirmed, accepted, acceptedBy, violations } = result.report;
    const { delivered, failedTries } = result.webhooks;
    const counts = { confirmed, accepted, acceptedBy, kills: result.kills, delivered, failedTries };
    const missed = missedMinimums(counts, base.minutes, base.kills);
    for (const message of missed) {
      console.log(`  too little: ${message}`);
    }
    process.exitCode = violations.length > 0 || result.leaks.length > 0 || missed.length > 0 ? 1 : 0;
  }
} finally {
  await removeCopy(base.root);
}
