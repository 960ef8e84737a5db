import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { isPlatform, type Platform } from "#core/platform.ts";
import { PostSender } from "./punctual/post-sender.ts";
import { bundle, startRuntime } from "./bench/runtime.ts";
import { type D1Counts, type ResourceUsage, RuntimeGauge } from "./punctual/resource-usage.ts";
import { startSimulators } from "./punctual/simulators.ts";
import { quantile } from "./quantile.ts";
import { call, freePort, migrate, sleep } from "./service.ts";

/*
 * Measures how late posts are published: `npm run punctual -- [--posts 200] [--rounds 1] [--hang PLATFORM] [--root FOLDER] [--log FILE]`.
 * It publishes single posts on an idle service, and then many that are due in the same second, on every platform that accepts texts in turn.
 * It reads lateness, calls to D1, memory, descriptors and processor time; the simulators have their own process. With `--hang` one platform
 * never answers, and the others must not be late. The exit code is 1 when a post is early, missing, duplicated or later than its limit, when
 * the runtime did not survive, or when descriptors are not released.
 */

const SINGLE_POSTS = 10;
/** 4 s for 200 posts in one second, 16 s for 1,000. */
const MIN_LATENESS_LIMIT_MS = 4000;
const LATENESS_LIMIT_PER_POST_MS = 16;
/** Confirms this many posts for a far date first, to measure how long a confirm takes on this machine now. */
const TRIAL_POSTS = 50;
const TRIAL_AHEAD_MS = 86_400_000;
/** All confirms must end before the first object wakes, even if the machine becomes busier. */
const CONFIRM_RESERVE = 3;
const MIN_AHEAD_MS = 30_000;
/** Objects of texts wake up to two seconds before the due time. */
const BEFORE_WAKING_MS = 6000;
const POLL_MS = 5000;
/** A real platform is always running, but a simulator without requests for ten seconds must start again. */
const WAKE_SIMULATORS_BEFORE_MS = 3000;
/** Waits long enough to print the lateness even if posts exceed their limit by far. */
const MIN_PATIENCE_MS = 180_000;
const PATIENCE_PER_POST_MS = 60;
const NEVER_MS = 600_000;
/** The runtime releases an idle object and its file about ten seconds after its last use, and later still after deleteAll. */
const RELEASE_TIMEOUT_MS = 90_000;
/** Tolerance for the callers' own connections, whose number varies. */
const DESCRIPTOR_TOLERANCE = 60;

interface PublishedPost {
  readonly text: string;
  readonly received_at: string;
  readonly accepted_at: string;
}

/** In milliseconds after the due time, each in ascending order. */
interface Lateness {
  /** When the calls reached the platforms. */
  readonly received: readonly number[];
  /** When the simulators had processed the calls. All simulators share one thread. */
  readonly accepted: readonly number[];
}

/** A full second that is far enough ahead for `count` confirms. */
async function dueTimeFor(sender: PostSender, count: number): Promise<number> {
  const startedAt = Date.now();
  await sender.schedule("trial", TRIAL_POSTS, startedAt + TRIAL_AHEAD_MS, sender.platforms);
  const confirmMs = (Date.now() - startedAt) / TRIAL_POSTS;
  return Math.ceil((Date.now() + MIN_AHEAD_MS + CONFIRM_RESERVE * count * confirmMs) / 1000) * 1000;
}

async function readLatenessMs(
  origin: string,
  platforms: readonly Platform[],
  prefix: string,
  dueAt: number,
): Promise<Lateness> {
  const found: PublishedPost[] = [];
  for (const platform of platforms) {
    const { posts } = await call<{ posts: PublishedPost[] }>(origin, "GET", `/sandbox/platforms/${platform}/posts`);
    found.push(...posts.filter((entry) => entry.text.startsWith(`${prefix} `)));
  }
  const latenessOf = (at: "received_at" | "accepted_at") =>
    found.map((entry) => Date.parse(entry[at]) - dueAt).toSorted((a, b) => a - b);
  return { received: latenessOf("received_at"), accepted: latenessOf("accepted_at") };
}

/** Waits until the platforms have `count` posts, and a second longer for duplicates; returns how late they were. */
async function waitForPosts(
  origin: string,
  platforms: readonly Platform[],
  prefix: string,
  dueAt: number,
  count: number,
): Promise<Lateness> {
  await sleep(Math.max(0, dueAt - WAKE_SIMULATORS_BEFORE_MS - Date.now()));
  await readLatenessMs(origin, platforms, prefix, dueAt);
  // Reading the simulators often would delay what is measured.
  await sleep(Math.max(0, dueAt + Math.max(1500, count * 5) - Date.now()));
  for (
    const deadline = dueAt + Math.max(MIN_PATIENCE_MS, count * PATIENCE_PER_POST_MS);
    Date.now() < deadline;
    await sleep(POLL_MS)
  ) {
    if ((await readLatenessMs(origin, platforms, prefix, dueAt)).accepted.length >= count) {
      break;
    }
  }
  await sleep(1000);
  return await readLatenessMs(origin, platforms, prefix, dueAt);
}

function printLateness(label: string, lateness: Lateness): void {
  for (const [when, late] of [
    ["reached the platforms", lateness.received],
    ["accepted by them", lateness.accepted],
  ] as const) {
    const [earliest, p50, p90, p99, last] = [0, 0.5, 0.9, 0.99, 1].map((share) => quantile(late, share));
    console.log(
      `${`${label}, ${when}`.padEnd(52)} ${String(late.length).padStart(5)} posts   earliest ${earliest} ms   p50 ${p50} ms   p90 ${p90} ms   p99 ${p99} ms   last ${last} ms`,
    );
  }
}

function printUsage(label: string, { residentMib, descriptors, isolateMib }: ResourceUsage): void {
  console.log(
    `${label.padEnd(38)} ${descriptors} descriptors, ${isolateMib.toFixed(0)} MiB in the isolate, ${residentMib.toFixed(0)} MiB resident`,
  );
}

function printD1(before: D1Counts, after: D1Counts, count: number): void {
  const perPost = (name: keyof D1Counts): string => ((after[name] - before[name]) / count).toFixed(2);
  console.log(
    `${"D1, per post".padEnd(38)} ${perPost("roundTrips")} round trips, ${perPost("statements")} statements, ${perPost("rowsRead")} rows read, ${perPost("rowsWritten")} rows written`,
  );
}

/** Checks that each post is public once, that none is early, and that the last one is within the limit. */
const isWithinLimit = ({ received, accepted }: Lateness, count: number, maxLatenessMs: number): boolean =>
  accepted.length === count && (received[0] ?? -1) >= 0 && (accepted.at(-1) ?? Infinity) <= maxLatenessMs;

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "200" },
    rounds: { type: "string", default: "1" },
    hang: { type: "string" },
    root: { type: "string" },
    log: { type: "string" },
  },
});
const count = Number(values.posts);
const rounds = Number(values.rounds);
const hanging = values.hang;
if (!(count > 0 && rounds > 0) || (hanging !== undefined && !isPlatform(hanging))) {
  console.error("usage: npm run punctual -- [--posts 200] [--rounds 1] [--hang PLATFORM] [--root FOLDER] [--log FILE]");
  process.exit(2);
}

const checks = new Map<string, boolean>();
const stateDir = await mkdtemp(join(tmpdir(), "almanac-punctual-"));
const root = values.root ?? dirname(import.meta.dirname);
await migrate(stateDir, { root });
const port = await freePort();
const inspectorPort = await freePort();
const origin = `http://localhost:${port}`;
const simulators = await startSimulators(root);
// Runs without wrangler's development server, which writes its own table into the storage of each object that starts.
const service = await startRuntime(
  root,
  await bundle(root, join(stateDir, "bundle"), "sandbox"),
  join(stateDir, "v3"),
  {
    environment: "sandbox",
    port,
    inspectorPort,
    logFile: values.log ?? join(stateDir, "service.log"),
    vars: {
      ORIGIN: origin,
      COUNT_D1: "1",
      SIMULATORS_ORIGIN: simulators.origin,
    },
  },
);
try {
  const gauge = await RuntimeGauge.open(service.pid, origin, inspectorPort);
  const processorTimes = async () => ({ service: await service.cpuMs(), simulators: await simulators.processorMs() });
  // Each burst has its own accounts, because platforms limit the posts of an account per day.
  const createSender = () => PostSender.create(origin, simulators.origin, count);
  let sender = await createSender();
  const answering = sender.platforms.filter((platform) => platform !== hanging);
  if (hanging !== undefined && answering.length === sender.platforms.length) {
    throw new Error(`--hang needs a platform that accepts texts: ${sender.platforms.join(", ")}`);
  }
  const before = await gauge.usage();

  const singles: Lateness[] = [];
  for (let number = 0; number < SINGLE_POSTS; number += 1) {
    const dueAt = Date.now() + 3000;
    await sender.schedule(`alone${number}`, 1, dueAt, answering);
    await sleep(dueAt + 1500 - Date.now());
    singles.push(await readLatenessMs(simulators.origin, answering, `alone${number}`, dueAt));
  }
  const inOrder = (pick: (lateness: Lateness) => readonly number[]) => singles.flatMap(pick).toSorted((a, b) => a - b);
  const single = { received: inOrder(({ received }) => received), accepted: inOrder(({ accepted }) => accepted) };
  printLateness("one at a time", single);
  checks.set("single posts are on time", isWithinLimit(single, SINGLE_POSTS, MIN_LATENESS_LIMIT_MS));

  if (hanging !== undefined) {
    // The platform answers no later request either, and accepts nothing during this time.
    await call(simulators.origin, "POST", `/sandbox/platforms/${hanging}/faults`, {
      body: { times: 1_000_000, effect: "delay", delay_ms: NEVER_MS },
    });
  }
  printUsage("before", before);
  const maxDescriptors = before.descriptors + DESCRIPTOR_TOLERANCE;
  for (let round = 1; round <= rounds; round += 1) {
    const prefix = `burst${round}`;
    sender = round === 1 ? sender : await createSender();
    const dueAt = await dueTimeFor(sender, count);
    await sender.schedule(prefix, count, dueAt, sender.platforms);
    console.log(
      `${count} on ${sender.platforms.length} platforms, confirmed ${((dueAt - Date.now()) / 1000).toFixed(1)} s before the due time; load average ${loadavg()[0]?.toFixed(1)}`,
    );
    const expected = Array.from({ length: count }, (_, n) => sender.platforms[n % sender.platforms.length]).filter(
      (platform) => platform !== hanging,
    ).length;
    await sleep(Math.max(0, dueAt - BEFORE_WAKING_MS - Date.now()));
    const [d1Before, cpuBefore] = [await gauge.d1(), await processorTimes()];
    const { value: late, ...peak } = await gauge.peaks(() =>
      waitForPosts(simulators.origin, answering, prefix, dueAt, expected),
    );
    // The results reach D1 after the platforms have the posts.
    await sleep(2000);
    const [d1After, cpuAfter] = [await gauge.d1(), await processorTimes()];
    printLateness(`${count} in the same second`, late);
    if (hanging !== undefined) {
      console.log(`${"".padEnd(38)} without the ${count - expected} posts on ${hanging}, which never answers`);
    }
    printD1(d1Before, d1After, count);
    const perPost = (which: keyof typeof cpuAfter): string => ((cpuAfter[which] - cpuBefore[which]) / count).toFixed(1);
    console.log(
      `${"processor time".padEnd(38)} ${perPost("service")} ms per post with the local D1, ${perPost("simulators")} ms in the simulators`,
    );
    console.log(
      `${"at the peak".padEnd(38)} ${peak.descriptors} descriptors, ${peak.residentMib.toFixed(0)} MiB resident`,
    );
    const limitMs = Math.max(MIN_LATENESS_LIMIT_MS, count * LATENESS_LIMIT_PER_POST_MS);
    checks.set(
      `round ${round}: each post once, none early, the last within ${limitMs} ms`,
      isWithinLimit(late, expected, limitMs),
    );
    if (hanging === undefined) {
      const deadline = Date.now() + RELEASE_TIMEOUT_MS;
      while ((await gauge.descriptors()) > maxDescriptors && Date.now() < deadline) {
        await sleep(1000);
      }
      const after = await gauge.usage();
      printUsage("after, objects released", after);
      checks.set(`round ${round}: descriptors are released`, after.descriptors <= maxDescriptors);
    }
  }
} finally {
  await Promise.all([service.stop(), simulators.stop()]);
  await rm(stateDir, { recursive: true, force: true });
}
for (const [name, passed] of checks) {
  console.log(`${passed ? "ok    " : "FAILED"} ${name}`);
}
process.exitCode = [...checks.values()].every(Boolean) ? 0 : 1;
