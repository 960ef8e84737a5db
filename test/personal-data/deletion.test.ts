import { env } from "cloudflare:workers";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import type { Mail } from "#core/mailer.ts";
import { HOUR, MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { openDb } from "#db/client.ts";
import { requestDeletionOf } from "#personal-data/index.ts";
import { deleteUsers } from "#sync/delete-users.ts";
import { planFiles } from "#personal-data/export/plan-files.ts";
import { writeFile } from "#personal-data/export/write-file.ts";
import { EXPORTED_TABLES, OTHER_TABLES, POST_TABLES, UNEXPORTED_TABLES } from "#personal-data/tables.ts";
import { createTestContext, freezeClock, type TestContext } from "../posts/test-context.ts";
import { seedPerson, type SeededPerson } from "./seed-person.ts";

const NOW = Date.UTC(2031, 5, 15, 12);

beforeEach(() => freezeClock(NOW));
afterEach(() => {
  setFailpointHook(undefined);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface Fixture {
  readonly ctx: TestContext;
  readonly mails: Mail[];
}

function createFixture(person: SeededPerson): Fixture {
  const ctx = createTestContext({ actor: { userId: person.userId, workspaceId: person.workspaceIds[0] } });
  const mails: Mail[] = [];
  return { ctx: { ...ctx, mailer: { send: async (mail) => void mails.push(mail) } }, mails };
}

async function putFiles(person: SeededPerson): Promise<void> {
  for (const hash of person.hashes) {
    await env.MEDIA.put(`media/${hash}`, `bytes of ${hash}`);
  }
  for (const workspaceId of person.workspaceIds) {
    await env.MEDIA.put(`archive/${workspaceId}/2030-01/${crypto.randomUUID()}.jsonl.gz`, `${person.mark} archived`);
  }
  await env.MEDIA.put(`incoming/${person.mark}-part/1`, "staged");
}

async function tableNames(): Promise<readonly string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'",
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** Every row of every table, the names and contents of all files, and all keys and values of the token store. */
async function dump(): Promise<string> {
  const parts: string[] = [];
  for (const table of await tableNames()) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
    parts.push(...results.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  for (const { key } of (await env.MEDIA.list()).objects) {
    parts.push(`${key} ${await (await env.MEDIA.get(key))?.text()}`);
  }
  for (const { name, expiration = Infinity } of (await env.TOKENS.list()).keys) {
    // What has expired by the clock of the test is not there any more.
    if (expiration * 1000 > Date.now()) {
      parts.push(`${name} ${await env.TOKENS.get(name)}`);
    }
  }
  return parts.join("\n");
}

/** Runs the job as the cron does until nothing is due, at most so many times. */
async function runUntilDone(ctx: TestContext, runs = 40): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const row = await env.DB.prepare("SELECT next_run_at AS at FROM user_deletions WHERE user_id = ?")
      .bind(ctx.actor.userId)
      .first<{ at: number }>();
    if (row === null) {
      return;
    }
    freezeClock(Math.max(Date.now(), row.at));
    await deleteUsers(ctx);
    await ctx.waitForDeferred();
  }
  throw new Error("the deletion does not end");
}

const hashes = async (mark: string) => [await sha256Hex(`${mark} a`), await sha256Hex(`${mark} b`)] as const;

async function seed(mark: string, shared?: string): Promise<SeededPerson> {
  const [first, second] = await hashes(mark);
  const person = await seedPerson(env.DB, mark, { hashes: [shared ?? first, second] });
  await putFiles(person);
  await seedUnowned(person);
  return person;
}

/** Rows that no column of their own gives to the person, and a preview in the token store. */
async function seedUnowned({ mark, email, userId, workspaceIds: [workspaceId] }: SeededPerson): Promise<void> {
  const insert = (table: string, values: Record<string, unknown>) =>
    env.DB.prepare(
      `INSERT INTO ${table} (${Object.keys(values).join(", ")}) VALUES (${Object.keys(values)
        .map(() => "?")
        .join(", ")})`,
    ).bind(...Object.values(values));
  const times = { created_at: 1, expires_at: 1 };
  await env.DB.batch([
    insert("oauth_tokens", {
      hash: `${mark}-token`,
      grant_id: `${mark}-oauth_grants-id-0`,
      kind: "access",
      scopes: "[]",
      ...times,
    }),
    insert("account_mails", { email_hash: await sha256Hex(email), at: 1 }),
    insert("sign_in_attempts", { email_hash: await sha256Hex(email), client_hash: "x", failures: 1, updated_at: 1 }),
    insert("app_registrations", { platform: "x", server: `${mark}.example`, sealed: "s", created_at: 1 }),
    insert("archive_parts", {
      workspace_id: workspaceId,
      first_at: 1,
      id: `${mark}-part`,
      user_id: userId,
      last_at: 1,
      published: 1,
      partially_failed: 0,
      failed: 0,
      size_bytes: 1,
      created_at: 1,
      first_id: `${mark}-a`,
      last_id: `${mark}-b`,
      accounts: JSON.stringify([`${mark}-account`]),
      ids: new Uint8Array(8),
    }),
    insert("archive_orphans", { key: `archive/${workspaceId}/2030-01/${mark}.jsonl.gz`, seen_at: 1 }),
  ]);
  await env.TOKENS.put(`ct:${userId}:${mark}`, `${mark} preview`, { expirationTtl: 300 });
}

const rowsOf = (text: string, person: SeededPerson) =>
  text
    .split("\n")
    .filter((line) => [person.mark, person.userId, ...person.workspaceIds].some((word) => line.includes(word)))
    .toSorted();

test("every table is classified: a person's data go with the download and with the deletion, or the reason is written down", async () => {
  const classified = [
    ...[...EXPORTED_TABLES, ...UNEXPORTED_TABLES].map(({ table }) => getTableConfig(table).name),
    ...Object.keys(POST_TABLES),
    ...Object.keys(OTHER_TABLES),
  ];
  expect(classified.toSorted()).toEqual((await tableNames()).toSorted());
});

describe("erasing", () => {
  test("leaves nothing of the person in the database, the files and the token store, and everything of the others", async () => {
    const shared = await sha256Hex("a picture that both have");
    const person = await seed("Wxyzdelia", shared);
    const other = await seed("Qvbnother", shared);
    const { ctx: plain, mails } = createFixture(person);
    const removed: string[] = [];
    const sender: TestContext["sender"] = (id) => ({
      ...plain.sender(id),
      remove: () => Promise.resolve(void removed.push(id)),
    });
    const ctx = { ...plain, sender };
    const before = await dump();
    expect(rowsOf(before, person).length).toBeGreaterThan(30);
    await requestDeletionOf(ctx, { userId: person.userId, requestedBy: "operator", graceMs: 0 });
    await runUntilDone(ctx);
    const after = await dump();
    expect(rowsOf(after, person)).toEqual([]);
    expect(after.toLowerCase()).not.toContain(person.mark.toLowerCase());
    expect(after).not.toContain(person.hashes[1]);
    expect(before).toContain(await sha256Hex(person.email));
    expect(after).not.toContain(await sha256Hex(person.email));
    expect(after).toContain(`bytes of ${shared}`);
    expect(rowsOf(after, other)).toEqual(rowsOf(before, other));
    const { results } = await env.DB.prepare("SELECT * FROM deletions").all();
    expect(results).toContainEqual({
      user_hash: await sha256Hex(`user:${person.userId}`),
      erased_at: expect.any(Number),
    });
    expect(new Set(removed)).toEqual(new Set([0, 1].map((index) => `${person.mark}-webhooks-id-${index}`)));
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([[person.email, "Your Almanac account is deleted"]]);
  });

  test("is completed after an end at any of its statements and file operations", async () => {
    let ended = 0;
    const persons: SeededPerson[] = [];
    for (const first of [1, 2]) {
      const person = await seed(`Kill${first}zq`);
      persons.push(person);
      const { ctx } = createFixture(person);
      await requestDeletionOf(ctx, { userId: person.userId, requestedBy: "operator", graceMs: 0 });
      // One run after the other is ended, each two calls later than the one before.
      for (let call = first; await runEndedAt(ctx, call); call += 2) {
        ended += 1;
        freezeClock(Date.now() + HOUR);
      }
      await runUntilDone(ctx);
    }
    const text = await dump();
    expect(persons.flatMap((person) => rowsOf(text, person))).toEqual([]);
    expect(ended).toBeGreaterThan(20);
  });

  test("waits while a post is being published", async () => {
    const person = await seed("Waitingly");
    const { ctx } = createFixture(person);
    await env.DB.prepare("UPDATE posts SET status = 'publishing' WHERE workspace_id = ?")
      .bind(person.workspaceIds[1])
      .run();
    await requestDeletionOf(ctx, { userId: person.userId, requestedBy: "operator", graceMs: 0 });
    await deleteUsers(ctx);
    expect(rowsOf(await dump(), person).length).toBeGreaterThan(20);
    await env.DB.prepare("UPDATE posts SET status = 'published' WHERE workspace_id = ?")
      .bind(person.workspaceIds[1])
      .run();
    await runUntilDone(ctx);
    expect(rowsOf(await dump(), person)).toEqual([]);
  });

  test("finds what a request wrote that was under way", async () => {
    const person = await seed("Latecomer");
    const { ctx } = createFixture(person);
    await requestDeletionOf(ctx, { userId: person.userId, requestedBy: "operator", graceMs: 0 });
    await deleteUsers(ctx);
    const row = await env.DB.prepare(
      "SELECT erased_at IS NOT NULL AS erased, next_run_at AS at FROM user_deletions WHERE user_id = ?",
    )
      .bind(person.userId)
      .first<{ erased: number; at: number }>();
    expect(row).toEqual({ erased: 1, at: NOW + 20 * MINUTE });
    const late = `archive/${person.workspaceIds[0]}/2030-02/${crypto.randomUUID()}.jsonl.gz`;
    await env.MEDIA.put(late, "Latecomer");
    await env.DB.prepare(
      "INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES (?, 'post_failed', 'Latecomer', 1)",
    )
      .bind(person.workspaceIds[0])
      .run();
    await runUntilDone(ctx);
    expect(rowsOf(await dump(), person)).toEqual([]);
  });

  test("does nothing while a database that was put back is held", async () => {
    const person = await seed("Heldback");
    const { ctx } = createFixture(person);
    await requestDeletionOf(ctx, { userId: person.userId, requestedBy: "restore", graceMs: 0 });
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    await deleteUsers(ctx);
    expect(rowsOf(await dump(), person).length).toBeGreaterThan(20);
    await env.DB.prepare("UPDATE service SET held = NULL").run();
    const { mails } = createFixture(person);
    await runUntilDone(ctx);
    expect(rowsOf(await dump(), person)).toEqual([]);
    expect(mails).toEqual([]);
  });
});

/* Rows of others must not be read: only tables that keep their rows for hours or two days are read whole. */
test("no statement of the deletion or the download reads a whole table that grows", async () => {
  const statements: string[] = [];
  const person = await seed("Costly");
  const { ctx } = createFixture(person);
  const listening = {
    prepare: (sql: string) => {
      statements.push(sql);
      return env.DB.prepare(sql);
    },
    batch: (batch: D1PreparedStatement[]) => env.DB.batch(batch),
  } as unknown as D1Database;
  const db = openDb(listening);
  await requestDeletionOf({ ...ctx, db }, { userId: person.userId, requestedBy: "operator", graceMs: 0 });
  const workspaces = await planFiles({ db }, person.workspaceIds);
  const file = { sections: workspaces.flatMap(({ sections }) => sections) };
  const made = { id: "", userId: person.userId, sessionHash: "", createdAt: 1, expiresAt: 1, files: [file], email: "" };
  await env.DB.prepare("DELETE FROM archive_parts").run();
  await new Response(writeFile({ ...ctx, db }, made, file)).arrayBuffer();
  await runUntilDone({ ...ctx, db });
  const read = new Set<string>();
  for (const sql of new Set(statements)) {
    const marks = [...sql.matchAll(/\?(\d*)/g)].map(([, number], index) => (number ? Number(number) : index + 1));
    const values = Array.from({ length: Math.max(0, ...marks) }, () => null);
    const plan = env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind(...values);
    const { results } = await plan.all<{ detail: string }>();
    for (const { detail } of results) {
      const name = /^SCAN (\w+)/.exec(detail)?.[1];
      if (name !== undefined && !/VIRTUAL TABLE|CONSTANT ROW|subquery/.test(detail)) {
        read.add(new RegExp(`(?:FROM|JOIN) (\\w+) ${name}\\b`).exec(sql)?.[1] ?? name);
      }
    }
  }
  expect([...read].toSorted()).toEqual([
    "confirmations",
    "connect_states",
    "hourly_use",
    "login_tokens",
    "service",
    "uploads",
  ]);
});

/** A run that is ended at its n-th call: nothing works from there on. False when it had fewer calls. */
async function runEndedAt(ctx: TestContext, n: number): Promise<boolean> {
  let calls = 0;
  const count = () => {
    calls += 1;
    if (calls >= n) {
      throw new Error("ended");
    }
  };
  await deleteUsers({ ...ctx, db: openDb(countedD1(count)), bucket: countedBucket(count) }).catch(() => null);
  await ctx.waitForDeferred();
  return calls >= n;
}

/** A database that tells of every call before it is made. */
function countedD1(count: () => void): D1Database {
  const innerOf = new Map<object, D1PreparedStatement>();
  const wrap = (inner: D1PreparedStatement): D1PreparedStatement => {
    const call = (name: "all" | "first" | "run") => async (column?: string) => {
      count();
      return await (column === undefined ? inner[name]() : inner.first(column));
    };
    const wrapped = {
      bind: (...values: unknown[]) => wrap(inner.bind(...values)),
      all: call("all"),
      first: call("first"),
      run: call("run"),
    };
    innerOf.set(wrapped, inner);
    return wrapped as unknown as D1PreparedStatement;
  };
  return {
    prepare: (sql: string) => wrap(env.DB.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      count();
      return await env.DB.batch(statements.map((statement) => innerOf.get(statement)!));
    },
  } as unknown as D1Database;
}

function countedBucket(count: () => void): TestContext["bucket"] {
  return new Proxy(env.MEDIA, {
    get(target, name) {
      const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        count();
        return member.apply(target, args);
      };
    },
  });
}
