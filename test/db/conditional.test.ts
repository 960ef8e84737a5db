import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, test } from "vitest";
import { openDb } from "#db/client.ts";
import { type ConditionalDb, failUnless, openConditionalDb } from "#db/conditional.ts";
import { isUnmetCondition } from "#db/errors.ts";
import { workspaces } from "#db/schema.ts";
import { type D1Failure, instrumentD1 } from "../publisher/instrumented-d1.ts";
import { countingD1 } from "../support/counting-d1.ts";

const counting = countingD1(env.DB);
let failures: D1Failure[];
let db: ConditionalDb;

/** A connection whose condition is that a workspace is called Open. */
async function connect(name: string): Promise<ConditionalDb> {
  await env.DB.prepare("DELETE FROM workspaces").run();
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES ('w', 'u', ?, 1)")
    .bind(name)
    .run();
  failures = [];
  counting.reset();
  const d1 = instrumentD1(counting.d1, { rowsRead: 0, rowsWritten: 0, roundTrips: 0 }, failures, []);
  const condition = d1.prepare(failUnless("(SELECT name FROM workspaces WHERE id = ?1) IS ?2"));
  return openConditionalDb(openDb(d1), () => condition.bind("w", "Open"));
}

const insert = ({ db: { d1 } }: ConditionalDb, id: string) =>
  d1.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?1, 'u', 'made', 1)").bind(id);

async function stored(): Promise<readonly string[]> {
  const { results } = await env.DB.prepare("SELECT id FROM workspaces ORDER BY id").all<{ id: string }>();
  return results.map(({ id }) => id);
}

const all = ({ db: { d1 } }: ConditionalDb) => d1.prepare("SELECT id, name FROM workspaces WHERE id = ?").bind("w");

/** Every way to call D1 that a module has. */
const CALLS: Readonly<Record<string, (db: ConditionalDb) => Promise<unknown>>> = {
  all: async (one) => (await all(one).all()).results,
  run: async (one) => (await all(one).run()).results,
  first: (one) => all(one).first(),
  "first of a column": (one) => all(one).first("name"),
  "first of nothing": ({ db: { d1 } }) => d1.prepare("SELECT 1 WHERE 0").first(),
  raw: (one) => all(one).raw(),
  batch: async (one) => (await one.db.d1.batch([all(one), all(one)])).map(({ results }) => results),
  orm: ({ db: { orm } }) => orm.select().from(workspaces).where(eq(workspaces.id, "w")),
};

describe("a condition that holds", () => {
  beforeEach(async () => {
    db = await connect("Open");
  });

  test.for(Object.entries(CALLS))("changes no answer of %s", async ([, call], { expect }) => {
    const expected = await call({ ...db, db: openDb(env.DB) });
    expect(await call(db)).toEqual(expected);
    expect(await call(db)).toEqual(expected);
    expect(await db.isMet()).toBe(true);
  });

  test("takes no trip of its own, but before raw rows", async ({ expect }) => {
    await CALLS["batch"]?.(db);
    await CALLS["all"]?.(db);
    expect(await db.isMet()).toBe(true);
    expect(counting.count.roundTrips).toBe(2);
    const other = await connect("Open");
    await all(other).raw();
    expect(counting.count.roundTrips).toBe(2);
  });

  test("is asked once by parallel calls, of which the others wait", async ({ expect }) => {
    await Promise.all([insert(db, "a").run(), insert(db, "b").run(), db.assertMet()]);
    expect(await stored()).toEqual(["a", "b", "w"]);
    expect(counting.count.statements).toBe(3);
  });

  test("is asked again after a call that failed otherwise", async ({ expect }) => {
    await expect(insert(db, "w").run()).rejects.toThrow("UNIQUE");
    expect(db.mayHaveRun()).toBe(false);
    await env.DB.prepare("UPDATE workspaces SET name = 'Closed'").run();
    await expect(insert(db, "a").run()).rejects.toSatisfy(isUnmetCondition);
    expect(await stored()).toEqual(["w"]);
  });

  test.for(["before", "after"] as const)(
    "is open where D1's answer was lost %s the call",
    async (failure, { expect }) => {
      failures.push(failure);
      await expect(insert(db, "a").run()).rejects.toThrow("connection lost");
      expect(db.mayHaveRun()).toBe(true);
      expect(await db.isMet()).toBe(true);
      expect(await stored()).toEqual(failure === "after" ? ["a", "w"] : ["w"]);
    },
  );
});

describe("a condition that does not hold", () => {
  beforeEach(async () => {
    db = await connect("Closed");
  });

  test.for(Object.entries(CALLS))("fails %s", async ([, call], { expect }) => {
    await expect(call(db)).rejects.toSatisfy(isUnmetCondition);
    expect(await db.isMet()).toBe(false);
  });

  test("lets nothing be written, also in parallel and afterwards", async ({ expect }) => {
    const calls = await Promise.allSettled([
      insert(db, "a").run(),
      db.db.d1.batch([insert(db, "b"), insert(db, "c")]),
      db.assertMet(),
    ]);
    expect(calls.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await env.DB.prepare("UPDATE workspaces SET name = 'Open'").run();
    await expect(insert(db, "d").run()).rejects.toSatisfy(isUnmetCondition);
    expect(await db.isMet()).toBe(false);
    expect(await stored()).toEqual(["w"]);
    expect(db.mayHaveRun()).toBe(false);
  });
});
