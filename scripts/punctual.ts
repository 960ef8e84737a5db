import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openIsolate, residentMib, runtimePid } from "./memory.ts";
import { call, freePort, migrate, pause, startService } from "./service.ts";

/*
 * How late is a post? `npm run punctual -- [--posts 200] [--rounds 1]`: one post on an idle service, fifty beside fifty
 * whose platform hangs, then many due in the same second, and what the runtime holds before, during and after, when the
 * objects are gone. Exit code 1 when anything is early, missing, twice or later than its budget, and when descriptors stay.
 */

const CONFIRMS_AT_ONCE = 10;
const ALONE = 10;
const BESIDE = 50;
const HANGS_MS = 20_000;
/** 4 s for 200 posts in one second, 16 s for 1,000. */
const BUDGET_MS = 4000;
const BUDGET_PER_POST_MS = 16;
/** The runtime drops an idle object and its file some ten seconds after its last use, and another while after it was emptied. */
const GONE_WITHIN_MS = 90_000;
/** Connections of the callers come and go. */
const DESCRIPTORS_SPARE = 60;

interface BookEntry {
  readonly text: string;
  readonly accepted_at: string;
}

interface Held {
  readonly residentMib: number;
  readonly descriptors: number;
  /** Of the Worker's own isolate, garbage included. */
  readonly isolateMib: number;
}

const descriptorsOf = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

async function held(pid: number, isolate: () => Promise<number>): Promise<Held> {
  return { residentMib: await residentMib(pid), descriptors: await descriptorsOf(pid), isolateMib: await isolate() };
}

interface Person {
  readonly origin: string;
  readonly key: string;
}

/** A new account on a platform that counts no quota. */
async function connect({ origin, key }: Person, platform: string): Promise<string> {
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", {
    body: { api_key: key, platform },
  });
  await call(origin, "POST", `/sandbox/platforms/${platform}/settings`, { body: { quota: 1_000_000 } });
  return accounts[0]?.id ?? "";
}

async function schedule({ origin, key }: Person, accountId: string, text: string, dueAt: number): Promise<void> {
  const { confirmation_token } = await call<{ confirmation_token: string }>(origin, "POST", "/v1/posts/preview", {
    key,
    body: { caption: text, scheduled_at: new Date(dueAt).toISOString(), targets: [{ account_id: accountId }] },
  });
  await call(origin, "POST", "/v1/posts/confirm", { key, body: { confirmation_token } });
}

async function scheduleMany(person: Person, accountId: string, texts: readonly string[], dueAt: number): Promise<void> {
  for (let at = 0; at < texts.length; at += CONFIRMS_AT_ONCE) {
    const some = texts.slice(at, at + CONFIRMS_AT_ONCE);
    await Promise.all(some.map((text) => schedule(person, accountId, text, dueAt)));
  }
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${prefix} ${number}`);

/** A whole second far enough ahead for so many confirmations. */
const dueAfter = (count: number): number => Math.ceil((Date.now() + Math.max(10_000, count * 60)) / 1000) * 1000;

/** Waits until so many are there, and a second more for one too many. */
async function arrived(origin: string, platform: string, prefix: string, dueAt: number, count: number) {
  await pause(Math.max(0, dueAt + 1000 - Date.now()));
  let late: number[] = [];
  for (let waited = 0; waited < 90 && late.length < count; waited += 1) {
    await pause(1000);
    late = await lateness(origin, platform, prefix, dueAt);
  }
  await pause(1000);
  return await lateness(origin, platform, prefix, dueAt);
}

async function lateness(origin: string, platform: string, prefix: string, dueAt: number): Promise<number[]> {
  const { posts } = await call<{ posts: BookEntry[] }>(origin, "GET", `/sandbox/platforms/${platform}/posts`);
  return posts
    .filter((entry) => entry.text.startsWith(`${prefix} `))
    .map((entry) => Date.parse(entry.accepted_at) - dueAt)
    .toSorted((a, b) => a - b);
}

function line(label: string, late: readonly number[]): void {
  const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
  console.log(
    `${label.padEnd(38)} ${String(late.length).padStart(5)} posts   earliest ${at(0)} ms   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   last ${at(1)} ms`,
  );
}

function lineOf(label: string, { residentMib: resident, descriptors, isolateMib }: Held): void {
  console.log(
    `${label.padEnd(38)} ${descriptors} descriptors, ${isolateMib.toFixed(0)} MiB in the isolate, ${resident.toFixed(0)} MiB resident`,
  );
}

/** Once and never early, and the last one in time. */
const good = (late: readonly number[], count: number, budgetMs: number): boolean =>
  late.length === count && (late[0] ?? -1) >= 0 && (late.at(-1) ?? Infinity) <= budgetMs;

const { values } = parseArgs({
  options: { posts: { type: "string", default: "200" }, rounds: { type: "string", default: "1" } },
});
const count = Number(values.posts);
const rounds = Number(values.rounds);
const verdicts: boolean[] = [];
const stateDir = await mkdtemp(join(tmpdir(), "almanac-punctual-"));
await migrate(stateDir);
const port = await freePort();
const inspectorPort = await freePort();
const service = await startService({ port, inspectorPort, stateDir, logFile: join(stateDir, "service.log") });
try {
  const { origin } = service;
  const pid = await runtimePid(service.pid, port);
  const isolate = await openIsolate(inspectorPort);
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  const person = { origin, key };
  const onX = await connect(person, "x");
  const onFacebook = await connect(person, "facebook");
  const before = await held(pid, isolate);

  const alone: number[] = [];
  for (let number = 0; number < ALONE; number += 1) {
    const dueAt = Date.now() + 3000;
    await schedule(person, onX, `alone${number} ${dueAt}`, dueAt);
    await pause(dueAt + 1500 - Date.now());
    alone.push(...(await lateness(origin, "x", `alone${number}`, dueAt)));
  }
  const sorted = alone.toSorted((a, b) => a - b);
  line("one at a time", sorted);
  verdicts.push(good(sorted, ALONE, BUDGET_MS));

  const together = dueAfter(2 * BESIDE);
  await call(origin, "POST", "/sandbox/platforms/facebook/faults", {
    body: { match: { method: "POST" }, times: BESIDE, effect: "delay", delay_ms: HANGS_MS },
  });
  await scheduleMany(person, onFacebook, numbered("hung", BESIDE), together);
  await scheduleMany(person, onX, numbered("beside", BESIDE), together);
  const beside = await arrived(origin, "x", "beside", together, BESIDE);
  line(`beside ${BESIDE} whose platform hangs`, beside);
  const hung = await arrived(origin, "facebook", "hung", together, BESIDE);
  line(`the ${BESIDE}, each answered after ${HANGS_MS / 1000} s`, hung);
  verdicts.push(good(beside, BESIDE, BUDGET_MS), good(hung, BESIDE, Infinity));

  lineOf("before", before);
  for (let round = 1; round <= rounds; round += 1) {
    const dueAt = dueAfter(count);
    await scheduleMany(person, onX, numbered(`burst${round}`, count), dueAt);
    console.log(`${count} confirmed ${((dueAt - Date.now()) / 1000).toFixed(1)} s before their time`);
    const burst = await arrived(origin, "x", `burst${round}`, dueAt, count);
    line(`${count} in the same second`, burst);
    lineOf("during", await held(pid, isolate));
    const deadline = Date.now() + GONE_WITHIN_MS;
    const most = before.descriptors + DESCRIPTORS_SPARE;
    while ((await descriptorsOf(pid)) > most && Date.now() < deadline) {
      await pause(1000);
    }
    const after = await held(pid, isolate);
    lineOf("after, objects gone", after);
    verdicts.push(good(burst, count, Math.max(BUDGET_MS, count * BUDGET_PER_POST_MS)), after.descriptors <= most);
  }
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
} finally {
  await service.stop();
  await rm(stateDir, { recursive: true, force: true });
}
