import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ApiClient } from "./crash/api-client.ts";
import { createSandboxUser, previewTarget } from "./crash/sandbox-user.ts";
import type { D1Counts } from "./punctual/resource-usage.ts";
import { quantile } from "./quantile.ts";
import { call, freePort, migrate, type Service, sleep, startService } from "./service.ts";

/*
 * Measures whether dead receivers delay others:
 * `npm run webhooks:load -- [--events 10000] [--hooks 10] [--dead 3] [--per-second 50] [--log FILE]`.
 * Edits through the API cause the same events three times: without a webhook, with receivers that answer, and with additional dead
 * receivers, which accept a request and never answer. It prints the time from each event to the first try, and the D1 statements per event.
 * The exit code is 1 if an answering receiver lacks an event, or has one that the log does not have.
 */

/** How many posts one edit changes. */
const POSTS = 20;
const AHEAD_MS = 30 * 86_400_000;
const MAX_WAIT_MS = 300_000;
const POLL_MS = 500;
const PAGE = 100;

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    hooks: { type: "string", default: "10" },
    dead: { type: "string", default: "3" },
    "per-second": { type: "string", default: "50" },
    log: { type: "string" },
  },
});
const eventCount = Math.ceil(Number(values.events) / POSTS) * POSTS;
const hooks = Number(values.hooks);
const dead = Number(values.dead);
const perSecond = Number(values["per-second"]);
if (!(eventCount > 0 && dead >= 0 && hooks > dead && perSecond > 0)) {
  console.error(
    "usage: npm run webhooks:load -- [--events 10000] [--hooks 10] [--dead 3] [--per-second 50] [--log FILE]",
  );
  process.exit(2);
}

/** Receivers of one phase, by number; those from `alive` on never answer. */
class Receivers {
  /** The first arrival of each event, per receiver: its delay in milliseconds. */
  readonly delays: readonly Map<string, number>[];
  requests = 0;
  readonly #alive: number;
  readonly #server: Server;

  constructor(alive: number) {
    this.#alive = alive;
    this.delays = Array.from({ length: alive }, () => new Map<string, number>());
    this.#server = createServer((request, response) => {
      const number = Number(request.url?.slice(1));
      if (number >= this.#alive) {
        return;
      }
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { id, timestamp } = JSON.parse(body) as { id: string; timestamp: string };
        this.requests += 1;
        const known = this.delays[number];
        if (known && !known.has(id)) {
          known.set(id, Date.now() - Date.parse(timestamp));
        }
        response.writeHead(204).end();
      });
    });
  }

  async listen(): Promise<string> {
    const port = await freePort();
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get isComplete(): boolean {
    return this.delays.every((known) => known.size >= eventCount);
  }
}

interface LoadUser {
  readonly origin: string;
  readonly key: string;
  readonly postIds: readonly string[];
}

async function createLoadUser(origin: string): Promise<LoadUser> {
  const user = await createSandboxUser(new ApiClient(origin), origin, ["x"]);
  const key = user.apiKey;
  const postIds: string[] = [];
  for (let number = 0; number < POSTS; number += 1) {
    const body = {
      caption: `load ${number}`,
      scheduled_at: new Date(Date.now() + AHEAD_MS).toISOString(),
      targets: [previewTarget(user, "x")],
    };
    const { confirmation_token } = await call<{ confirmation_token: string }>(origin, "POST", "/v1/posts/preview", {
      key,
      body,
    });
    const { posts } = await call<{ posts: { id: string }[] }>(origin, "POST", "/v1/posts/confirm", {
      key,
      body: { confirmation_token },
    });
    postIds.push(...posts.map(({ id }) => id));
  }
  return { origin, key, postIds };
}

/** An edit of all posts causes one event for each post. */
async function makeEvents({ origin, key, postIds }: LoadUser, phase: string): Promise<void> {
  const startedAt = Date.now();
  for (let made = 0; made < eventCount; made += POSTS) {
    const { confirmation_token } = await call<{ confirmation_token: string }>(
      origin,
      "POST",
      "/v1/posts/edit/preview",
      { key, body: { post_ids: postIds, caption: `${phase} ${made}` } },
    );
    await call(origin, "POST", "/v1/posts/edit/confirm", { key, body: { confirmation_token } });
    await sleep(Math.max(0, startedAt + ((made + POSTS) / perSecond) * 1000 - Date.now()));
  }
}

async function eventIdsAfter({ origin, key }: LoadUser, after: number): Promise<{ ids: string[]; last: number }> {
  const ids: string[] = [];
  let last = after;
  for (;;) {
    const page = await call<{ events: { id: string; seq: number }[] }>(
      origin,
      "GET",
      `/v1/events?after=${last}&limit=${PAGE}`,
      { key },
    );
    ids.push(...page.events.map(({ id }) => id));
    last = page.events.at(-1)?.seq ?? last;
    if (page.events.length === 0) {
      return { ids, last };
    }
  }
}

const readD1 = (origin: string) => call<D1Counts>(origin, "GET", "/sandbox/d1");

const statementsPerEvent = (before: D1Counts, after: D1Counts): number =>
  (after.statements - before.statements) / eventCount;

interface Phase {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
  readonly statements: number;
  readonly isExact: boolean;
  readonly doubles: number;
}

async function runPhase(user: LoadUser, name: string, alive: number, deadCount: number): Promise<Phase> {
  const { origin, key } = user;
  const receivers = new Receivers(alive);
  const address = await receivers.listen();
  const hookIds: string[] = [];
  for (let number = 0; number < alive + deadCount; number += 1) {
    const { webhook } = await call<{ webhook: { id: string } }>(origin, "POST", "/v1/webhooks", {
      key,
      body: { url: `${address}/${number}`, types: ["post.updated"] },
    });
    hookIds.push(webhook.id);
  }
  const { last: start } = await eventIdsAfter(user, 0);
  const before = await readD1(origin);
  await makeEvents(user, name);
  for (const deadline = Date.now() + MAX_WAIT_MS; !receivers.isComplete && Date.now() < deadline;) {
    await sleep(POLL_MS);
  }
  const after = await readD1(origin);
  const { ids } = await eventIdsAfter(user, start);
  for (const id of hookIds) {
    await call(origin, "DELETE", `/v1/webhooks/${id}`, { key, body: { confirm: true } });
  }
  receivers.close();
  const logged = new Set(ids);
  const delays = receivers.delays.flatMap((known) => [...known.values()]).toSorted((a, b) => a - b);
  return {
    p50: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
    last: quantile(delays, 1),
    statements: statementsPerEvent(before, after),
    isExact: receivers.delays.every(
      (known) => known.size === logged.size && [...known.keys()].every((id) => logged.has(id)),
    ),
    doubles: receivers.requests - delays.length,
  };
}

function printPhase(label: string, { p50, p99, last, statements, doubles }: Phase, base: number): void {
  console.log(
    `${label.padEnd(34)} first tries: p50 ${p50} ms   p99 ${p99} ms   last ${last} ms   D1 statements per event: ${statements.toFixed(2)}, of them for webhooks ${(statements - base).toFixed(2)}   doubles ${doubles}`,
  );
}

async function measure({ origin }: Service): Promise<boolean> {
  const user = await createLoadUser(origin);
  const before = await readD1(origin);
  await makeEvents(user, "nobody");
  const base = statementsPerEvent(before, await readD1(origin));
  console.log(
    `${eventCount} events, ${perSecond} a second, load average ${loadavg()[0]?.toFixed(1)}; the edits alone: ${base.toFixed(2)} D1 statements per event`,
  );
  const alive = hooks - dead;
  const without = await runPhase(user, "alive", alive, 0);
  printPhase(`${alive} receivers`, without, base);
  const beside = await runPhase(user, "dead", alive, dead);
  printPhase(`${alive} receivers beside ${dead} dead ones`, beside, base);
  console.log(`p99 with the dead ones to p99 without: ${(beside.p99 / without.p99).toFixed(2)}`);
  const isExact = without.isExact && beside.isExact;
  console.log(`${isExact ? "ok    " : "FAILED"} each receiver that answers has every event of the log and no other`);
  return isExact;
}

const stateDir = await mkdtemp(join(tmpdir(), "almanac-webhooks-"));
await migrate(stateDir);
const service = await startService({
  port: await freePort(),
  stateDir,
  logFile: values.log ?? join(stateDir, "service.log"),
  vars: { COUNT_D1: "1" },
});
try {
  process.exitCode = (await measure(service)) ? 0 : 1;
} finally {
  await service.stop();
  await rm(stateDir, { recursive: true, force: true });
}
