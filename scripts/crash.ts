import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client, pause } from "./crash/client.ts";
import { plantFaults } from "./crash/faults.ts";
import { type Ends, killInMidPublish } from "./crash/mid-publish.ts";
import { discard, type Mutant, MUTANTS, mutate } from "./crash/mutants.ts";
import { Random } from "./crash/random.ts";
import { Traffic } from "./crash/traffic.ts";
import { judge, type Verdict, type Violation } from "./crash/verdict.ts";
import { watchFor } from "./crash/watch.ts";
import { openWorkplace, PLATFORMS } from "./crash/workplace.ts";
import { answers, freePort, migrate, type Service, startService } from "./service.ts";

/*
 * The proof under kills and faults: `npm run crash -- [--minutes 0.5] [--seed 1] [--rate 18] [--mutants] [--mutant NAME] [--mid-publish] [--no-kills] [--keep]`.
 * The real runtime with its state on disk, callers who aim at the due instant, platforms that fail in every way, and a
 * `kill -9` now and then. At the end the platforms' books are compared with the API's. Exit code 1 on any violation, and
 * with --mutants when one is not caught. With --mid-publish nothing fails but the process, and only while posts are on
 * their way: each must be on its platform once and truly ended a minute after the restart, or as soon as its platform allows.
 */

const ROOT = join(import.meta.dirname, "..");
const PATIENCE_MS = 150_000;
/** The soak waits until the slowest look of all has told. */
const SOAK_MINUTES = 5;
const SOAK_PATIENCE_MS = 480_000;
/** Time enough for the harness to see that a mechanism is missing. */
const MUTANT_MINUTES = 1;
const CRON_EVERY_MS = 5000;
const REVIVE_MS = 6000;

interface Run {
  readonly minutes: number;
  readonly seed: number;
  /** Posts a second. */
  readonly rate: number;
  readonly faultRate: number;
  /** The only point that fails; every one when absent. */
  readonly faultPoint?: string | undefined;
  readonly kills: boolean;
  readonly patienceMs: number;
  readonly root: string;
  /** Leaves the state and the service's log behind. */
  readonly keep: boolean;
  /** Ends the run at the first violation with one of these. */
  readonly signs: readonly RegExp[];
}

interface Result {
  readonly verdict: Verdict;
  readonly kills: number;
  readonly faults: number;
  /** A sign that was looked for, and how long after the first post. */
  readonly seen: { readonly violation: Violation; readonly afterMs: number } | null;
}

async function comesBack(origin: string): Promise<boolean> {
  for (const deadline = Date.now() + REVIVE_MS; Date.now() < deadline; await pause(200)) {
    if (await answers(origin)) {
      return true;
    }
  }
  return false;
}

async function run(options: Run): Promise<Result> {
  const random = new Random(options.seed);
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
        ...(options.faultPoint !== undefined && { FAULT_POINT: options.faultPoint }),
      },
    });
  await migrate(stateDir);
  let service = await start();
  const client = new Client(service.origin);
  const ending = new AbortController();
  let kills = 0;
  try {
    const people = await Promise.all(
      Array.from(
        { length: 3 },
        async (_, at) => new Traffic(client, random, await openWorkplace(client, service.origin), `p${at}`),
      ),
    );
    const until = (): boolean => ending.signal.aborted;
    const cron = (async () => {
      while (!ending.signal.aborted) {
        await client.call("POST", "/sandbox/cron", {});
        await pause(CRON_EVERY_MS);
      }
    })();
    const faults = plantFaults(client, random, PLATFORMS, until);
    const killer = (async () => {
      while (options.kills && !ending.signal.aborted) {
        await pause(random.between(6000, 22_000));
        if (ending.signal.aborted) {
          return;
        }
        kills += 1;
        const runtimeAlone = random.chance(0.5);
        await (runtimeAlone ? service.killRuntime() : service.kill());
        // The supervisor starts a killed runtime again, but its proxy sometimes stays shut: then it goes too.
        if (!runtimeAlone || !(await comesBack(service.origin))) {
          await service.kill();
          service = await start();
        }
      }
    })();
    const begin = Date.now();
    const end = begin + options.minutes * 60_000;
    const enough = new AbortController();
    const watch = (async (): Promise<Result["seen"]> => {
      const violation = await watchFor(client, options.signs, people, () => Date.now() > end);
      const afterMs = Date.now() - begin;
      if (!violation) {
        return null;
      }
      enough.abort();
      return { violation, afterMs };
    })();
    while (Date.now() < end && !enough.signal.aborted) {
      const person = random.pick(people);
      if (people.reduce((busy, one) => busy + one.busy, 0) < options.rate * 15) {
        person.launch();
      }
      await pause(1000 / options.rate);
    }
    await Promise.all(people.map((one) => one.settle()));
    ending.abort();
    await Promise.all([cron, killer]);
    const [planted, seen] = await Promise.all([faults, watch]);
    const entries = people.flatMap((one) => one.entries);
    const verdict = await judge(client, entries, PLATFORMS, seen ? 0 : options.patienceMs);
    return { verdict, kills, faults: planted, seen };
  } finally {
    ending.abort();
    await service.stop();
    if (options.keep) {
      console.log(`  state and log kept in ${stateDir}`);
    } else {
      await rm(stateDir, { recursive: true, force: true });
    }
  }
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

function report(name: string, { verdict, kills, faults }: Result, seconds: number): void {
  const { lateMs, violations, states } = verdict;
  const rows: [string, string][] = [
    ["run", name],
    ["seconds", seconds.toFixed(0)],
    ["posts", String(verdict.posts)],
    ["accepted by platforms", String(verdict.accepted)],
    ["kills -9", String(kills)],
    ["platform faults", String(faults)],
    [
      "states",
      Object.entries(states)
        .map(([state, count]) => `${state} ${count}`)
        .join(", "),
    ],
    ["unconfirmed targets", String(verdict.unconfirmed)],
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

/** A minute under the conditions in which a mutant must be seen. */
function minuteOf(base: Run, { faultPoint }: Pick<Mutant, "faultPoint">): Run {
  const alone = faultPoint === undefined ? {} : { faultPoint, faultRate: 1, kills: false };
  return { ...base, ...alone, minutes: MUTANT_MINUTES, patienceMs: 0 };
}

async function caught(mutant: Mutant, base: Run): Promise<boolean> {
  const root = await mutate(ROOT, mutant);
  try {
    const { seen } = await run({ ...minuteOf(base, mutant), root, signs: mutant.signs });
    console.log(
      `${seen ? "caught  " : "SURVIVED"} ${mutant.name} (${mutant.what})` +
        (seen
          ? ` after ${(seen.afterMs / 1000).toFixed(0)} s: ${seen.violation.invariant} ${seen.violation.what}`
          : ` for ${MUTANT_MINUTES * 60} s`),
    );
    return seen !== null;
  } finally {
    await discard(root);
  }
}

/** The product as it is, watched in the same way: whoever sees something here sees too much. */
async function isClean(mutants: readonly Mutant[], base: Run): Promise<boolean> {
  const [first] = mutants;
  const { seen } = await run({ ...minuteOf(base, first ?? {}), signs: mutants.flatMap((mutant) => mutant.signs) });
  const names = mutants.map((mutant) => mutant.name).join(", ");
  console.log(
    seen
      ? `FALSE    alarm without ${names}: ${seen.violation.invariant} ${seen.violation.marker} ${seen.violation.what}`
      : `clean    without ${names} for ${MUTANT_MINUTES * 60} s`,
  );
  return seen === null;
}

/** One line a kill. */
async function midPublish(seed: number): Promise<boolean> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-crash-"));
  const port = await freePort();
  const start = (): Promise<Service> => startService({ port, stateDir, logFile: join(stateDir, "service.log") });
  await migrate(stateDir);
  let service = await start();
  try {
    const client = new Client(service.origin);
    const rounds = killInMidPublish(client, new Random(seed), service.origin, async () => {
      await service.kill();
      service = await start();
    });
    let isGood = true;
    for await (const { killedAfterMs, posts, arrived, others, listedLate, violations } of rounds) {
      const told = ({ posts: open, lastMs }: Ends): string => `${open}, the last after ${(lastMs / 1000).toFixed(1)} s`;
      console.log(
        `  killed ${String(killedAfterMs).padStart(3)} ms after the time of ${posts} posts; ended after the restart: ` +
          `already there ${told(arrived)}; not there ${told(others)}; not there and listed late ${told(listedLate)}; ` +
          `violations ${violations.length}`,
      );
      for (const violation of violations) {
        console.log(`    ${violation}`);
      }
      isGood &&= violations.length === 0;
    }
    return isGood;
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
    "no-kills": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const base: Run = {
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  rate: Number(values.rate),
  faultRate: 0.03,
  kills: !values["no-kills"],
  patienceMs: Number(values.minutes) >= SOAK_MINUTES ? SOAK_PATIENCE_MS : PATIENCE_MS,
  root: ROOT,
  keep: values.keep,
  signs: [],
};
console.log(`seed ${base.seed}`);
if (values.mutants || values.mutant !== undefined) {
  const chosen = MUTANTS.filter((mutant) => values.mutant === undefined || mutant.name === values.mutant);
  const results: boolean[] = [];
  for (const mutants of Map.groupBy(chosen, ({ faultPoint }) => faultPoint).values()) {
    results.push(await isClean(mutants, base));
  }
  for (const mutant of chosen) {
    results.push(await caught(mutant, base));
  }
  process.exitCode = results.every(Boolean) ? 0 : 1;
} else if (values["mid-publish"]) {
  process.exitCode = (await midPublish(base.seed)) ? 0 : 1;
} else {
  const started = Date.now();
  const result = await run(base);
  report("the product as it is", result, (Date.now() - started) / 1000);
  process.exitCode = result.verdict.violations.length > 0 ? 1 : 0;
}
