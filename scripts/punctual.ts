import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { call, freePort, migrate, pause, type Service, startService } from "./service.ts";

/*
 * How late is a post? `npm run punctual -- [--posts 200] [--platform x]`: one post on an idle service, then many due in
 * the same second, and what the runtime holds before, during and after. Exit code 1 when anything is early, missing or twice.
 */

const CONFIRMS_AT_ONCE = 10;
const IDLE_MS = 20_000;

interface BookEntry {
  readonly text: string;
  readonly accepted_at: string;
}

interface Held {
  readonly rssMiB: number;
  readonly descriptors: number;
}

async function held(service: Service): Promise<Held> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,comm="]);
  const pids = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, group, command]) => Number(group) === service.pid && command?.includes("workerd"))
    .map(([pid]) => String(pid));
  let rssMiB = 0;
  let descriptors = 0;
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    rssMiB += Number(/VmRSS:\s+(?<kib>\d+)/.exec(status)?.groups?.["kib"] ?? 0) / 1024;
    descriptors += (await readdir(`/proc/${pid}/fd`)).length;
  }
  return { rssMiB: Math.round(rssMiB), descriptors };
}

async function schedule(origin: string, key: string, accountId: string, text: string, dueAt: number): Promise<void> {
  const { confirmation_token } = await call<{ confirmation_token: string }>(origin, "POST", "/v1/posts/preview", {
    key,
    body: { caption: text, scheduled_at: new Date(dueAt).toISOString(), targets: [{ account_id: accountId }] },
  });
  await call(origin, "POST", "/v1/posts/confirm", { key, body: { confirmation_token } });
}

async function lateness(origin: string, platform: string, prefix: string, dueAt: number): Promise<number[]> {
  const { posts } = await call<{ posts: BookEntry[] }>(origin, "GET", `/sandbox/platforms/${platform}/posts`);
  return posts
    .filter((entry) => entry.text.startsWith(prefix))
    .map((entry) => Date.parse(entry.accepted_at) - dueAt)
    .toSorted((a, b) => a - b);
}

function line(label: string, late: readonly number[]): void {
  const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
  console.log(
    `${label.padEnd(30)} ${String(late.length).padStart(5)} posts   earliest ${at(0)} ms   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   last ${at(1)} ms`,
  );
}

const { values } = parseArgs({
  options: { posts: { type: "string", default: "200" }, platform: { type: "string", default: "x" } },
});
const count = Number(values.posts);
const { platform } = values;
const stateDir = await mkdtemp(join(tmpdir(), "almanac-punctual-"));
await migrate(stateDir);
const service = await startService({ port: await freePort(), stateDir, logFile: join(stateDir, "service.log") });
try {
  const { origin } = service;
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", {
    body: { api_key: key, platform },
  });
  const accountId = accounts[0]?.id ?? "";
  await call(origin, "POST", `/sandbox/platforms/${platform}/settings`, { body: { quota: 1_000_000 } });
  const before = await held(service);

  const alone: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const dueAt = Date.now() + 3000;
    await schedule(origin, key, accountId, `alone ${round} ${dueAt}`, dueAt);
    await pause(dueAt + 1500 - Date.now());
    alone.push(...(await lateness(origin, platform, `alone ${round} ${dueAt}`, dueAt)));
  }
  line(
    "one at a time",
    alone.toSorted((a, b) => a - b),
  );

  const dueAt = Math.ceil((Date.now() + Math.max(10_000, count * 60)) / 1000) * 1000;
  for (let at = 0; at < count; at += CONFIRMS_AT_ONCE) {
    const some = Array.from({ length: Math.min(CONFIRMS_AT_ONCE, count - at) }, (_, index) => at + index);
    await Promise.all(some.map((number) => schedule(origin, key, accountId, `burst ${number} ${dueAt}`, dueAt)));
  }
  const spare = dueAt - Date.now();
  console.log(`${count} confirmed ${(spare / 1000).toFixed(1)} s before their time`);
  await pause(spare + 1000);
  let burst: number[] = [];
  for (let waited = 0; waited < 60 && burst.length < count; waited += 1) {
    await pause(1000);
    burst = await lateness(origin, platform, "burst", dueAt);
  }
  const during = await held(service);
  line("all in the same second", burst);
  await pause(IDLE_MS);
  const after = await held(service);
  for (const [label, one] of Object.entries({ before, during, after })) {
    console.log(`${label.padEnd(30)} ${one.rssMiB} MiB resident, ${one.descriptors} descriptors`);
  }
  process.exitCode =
    burst.length === count && (burst[0] ?? -1) >= 0 && alone.length === 10 && Math.min(...alone) >= 0 ? 0 : 1;
} finally {
  await service.stop();
  await rm(stateDir, { recursive: true, force: true });
}
