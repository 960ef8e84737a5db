import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connectToIsolate, residentMib, runtimePid } from "./memory.ts";
import { call, freePort, migrate, sleep, startService } from "./service.ts";

/*
 * Measures how late posts are published: `npm run punctual -- [--posts 200] [--rounds 1]`. It publishes single posts on an
 * idle service, then fifty posts at the same time as fifty whose platform hangs, then many that are due in the same second,
 * and reads the runtime's memory and descriptors before, during and after, when the objects are released. Exit code 1 when a
 * post is early, missing, duplicated or later than its limit, or when descriptors are not released.
 */

const CONCURRENT_CONFIRMS = 10;
const SINGLE_POSTS = 10;
const POSTS_PER_GROUP = 50;
const HANG_MS = 20_000;
/** 4 s for 200 posts in one second, 16 s for 1,000. */
const MIN_LATENESS_LIMIT_MS = 4000;
const LATENESS_LIMIT_PER_POST_MS = 16;
/** The runtime releases an idle object and its file about ten seconds after its last use, and later still after deleteAll. */
const RELEASE_TIMEOUT_MS = 90_000;
/** Tolerance for the callers' own connections, whose number varies. */
const DESCRIPTOR_TOLERANCE = 60;

interface PublishedPost {
  readonly text: string;
  readonly accepted_at: string;
}

interface ResourceUsage {
  readonly residentMib: number;
  readonly descriptors: number;
  /** Memory of the Worker's own isolate, uncollected garbage included. */
  readonly isolateMib: number;
}

const descriptorsOf = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

async function measureUsage(pid: number, isolate: () => Promise<number>): Promise<ResourceUsage> {
  return { residentMib: await residentMib(pid), descriptors: await descriptorsOf(pid), isolateMib: await isolate() };
}

interface ApiUser {
  readonly origin: string;
  readonly apiKey: string;
}

/** Connects an account on a platform and lifts the platform's quota; returns the account's id. */
async function connect({ origin, apiKey }: ApiUser, platform: string): Promise<string> {
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", {
    body: { api_key: apiKey, platform },
  });
  await call(origin, "POST", `/sandbox/platforms/${platform}/settings`, { body: { quota: 1_000_000 } });
  return accounts[0]?.id ?? "";
}

async function schedule({ origin, apiKey }: ApiUser, accountId: string, text: string, dueAt: number): Promise<void> {
  const { confirmation_token } = await call<{ confirmation_token: string }>(origin, "POST", "/v1/posts/preview", {
    key: apiKey,
    body: { caption: text, scheduled_at: new Date(dueAt).toISOString(), targets: [{ account_id: accountId }] },
  });
  await call(origin, "POST", "/v1/posts/confirm", { key: apiKey, body: { confirmation_token } });
}

async function scheduleMany(user: ApiUser, accountId: string, texts: readonly string[], dueAt: number): Promise<void> {
  for (let at = 0; at < texts.length; at += CONCURRENT_CONFIRMS) {
    const batch = texts.slice(at, at + CONCURRENT_CONFIRMS);
    await Promise.all(batch.map((text) => schedule(user, accountId, text, dueAt)));
  }
}

const numberedTexts = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${prefix} ${number}`);

/** A full second that is far enough ahead for `count` confirms. */
const dueTimeFor = (count: number): number => Math.ceil((Date.now() + Math.max(10_000, count * 60)) / 1000) * 1000;

/** Waits until `count` posts are published, and a second longer for duplicates; returns how late they were. */
async function waitForPosts(origin: string, platform: string, prefix: string, dueAt: number, count: number) {
  await sleep(Math.max(0, dueAt + 1000 - Date.now()));
  let late: number[] = [];
  for (let waited = 0; waited < 90 && late.length < count; waited += 1) {
    await sleep(1000);
    late = await readLatenessMs(origin, platform, prefix, dueAt);
  }
  await sleep(1000);
  return await readLatenessMs(origin, platform, prefix, dueAt);
}

async function readLatenessMs(origin: string, platform: string, prefix: string, dueAt: number): Promise<number[]> {
  const { posts } = await call<{ posts: PublishedPost[] }>(origin, "GET", `/sandbox/platforms/${platform}/posts`);
  return posts
    .filter((entry) => entry.text.startsWith(`${prefix} `))
    .map((entry) => Date.parse(entry.accepted_at) - dueAt)
    .toSorted((a, b) => a - b);
}

function printLateness(label: string, late: readonly number[]): void {
  const percentile = (share: number): number =>
    late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
  console.log(
    `${label.padEnd(38)} ${String(late.length).padStart(5)} posts   earliest ${percentile(0)} ms   p50 ${percentile(0.5)} ms   p99 ${percentile(0.99)} ms   last ${percentile(1)} ms`,
  );
}

function printUsage(label: string, { residentMib: resident, descriptors, isolateMib }: ResourceUsage): void {
  console.log(
    `${label.padEnd(38)} ${descriptors} descriptors, ${isolateMib.toFixed(0)} MiB in the isolate, ${resident.toFixed(0)} MiB resident`,
  );
}

/** Each post once, none early, the last one within the limit. */
const isWithinLimit = (late: readonly number[], count: number, maxLatenessMs: number): boolean =>
  late.length === count && (late[0] ?? -1) >= 0 && (late.at(-1) ?? Infinity) <= maxLatenessMs;

const { values } = parseArgs({
  options: { posts: { type: "string", default: "200" }, rounds: { type: "string", default: "1" } },
});
const count = Number(values.posts);
const rounds = Number(values.rounds);
const checks: boolean[] = [];
const stateDir = await mkdtemp(join(tmpdir(), "almanac-punctual-"));
await migrate(stateDir);
const port = await freePort();
const inspectorPort = await freePort();
const service = await startService({ port, inspectorPort, stateDir, logFile: join(stateDir, "service.log") });
try {
  const { origin } = service;
  const pid = await runtimePid(service.pid, port);
  const isolate = await connectToIsolate(inspectorPort);
  const { api_key: apiKey } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  const user = { origin, apiKey };
  const xAccountId = await connect(user, "x");
  const facebookAccountId = await connect(user, "facebook");
  const before = await measureUsage(pid, isolate);

  const latenesses: number[] = [];
  for (let number = 0; number < SINGLE_POSTS; number += 1) {
    const dueAt = Date.now() + 3000;
    await schedule(user, xAccountId, `alone${number} ${dueAt}`, dueAt);
    await sleep(dueAt + 1500 - Date.now());
    latenesses.push(...(await readLatenessMs(origin, "x", `alone${number}`, dueAt)));
  }
  const sorted = latenesses.toSorted((a, b) => a - b);
  printLateness("one at a time", sorted);
  checks.push(isWithinLimit(sorted, SINGLE_POSTS, MIN_LATENESS_LIMIT_MS));

  const sharedDueAt = dueTimeFor(2 * POSTS_PER_GROUP);
  await call(origin, "POST", "/sandbox/platforms/facebook/faults", {
    body: { match: { method: "POST" }, times: POSTS_PER_GROUP, effect: "delay", delay_ms: HANG_MS },
  });
  await scheduleMany(user, facebookAccountId, numberedTexts("hung", POSTS_PER_GROUP), sharedDueAt);
  await scheduleMany(user, xAccountId, numberedTexts("beside", POSTS_PER_GROUP), sharedDueAt);
  const besideLateness = await waitForPosts(origin, "x", "beside", sharedDueAt, POSTS_PER_GROUP);
  printLateness(`at the same time as ${POSTS_PER_GROUP} whose platform hangs`, besideLateness);
  const hungLateness = await waitForPosts(origin, "facebook", "hung", sharedDueAt, POSTS_PER_GROUP);
  printLateness(`those ${POSTS_PER_GROUP}, answered after ${HANG_MS / 1000} s`, hungLateness);
  checks.push(
    isWithinLimit(besideLateness, POSTS_PER_GROUP, MIN_LATENESS_LIMIT_MS),
    isWithinLimit(hungLateness, POSTS_PER_GROUP, Infinity),
  );

  printUsage("before", before);
  for (let round = 1; round <= rounds; round += 1) {
    const dueAt = dueTimeFor(count);
    await scheduleMany(user, xAccountId, numberedTexts(`burst${round}`, count), dueAt);
    console.log(`${count} confirmed ${((dueAt - Date.now()) / 1000).toFixed(1)} s before the due time`);
    const burstLateness = await waitForPosts(origin, "x", `burst${round}`, dueAt, count);
    printLateness(`${count} in the same second`, burstLateness);
    printUsage("during", await measureUsage(pid, isolate));
    const deadline = Date.now() + RELEASE_TIMEOUT_MS;
    const maxDescriptors = before.descriptors + DESCRIPTOR_TOLERANCE;
    while ((await descriptorsOf(pid)) > maxDescriptors && Date.now() < deadline) {
      await sleep(1000);
    }
    const after = await measureUsage(pid, isolate);
    printUsage("after, objects released", after);
    checks.push(
      isWithinLimit(burstLateness, count, Math.max(MIN_LATENESS_LIMIT_MS, count * LATENESS_LIMIT_PER_POST_MS)),
      after.descriptors <= maxDescriptors,
    );
  }
  process.exitCode = checks.every(Boolean) ? 0 : 1;
} finally {
  await service.stop();
  await rm(stateDir, { recursive: true, force: true });
}
