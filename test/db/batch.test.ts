import { env } from "cloudflare:workers";
import { beforeEach, describe, expectTypeOf, test } from "vitest";
import { batch, type Statement } from "#db/batch.ts";
import { openDb } from "#db/client.ts";
import { countingD1 } from "../support/counting-d1.ts";

const counting = countingD1(env.DB);
const db = openDb(counting.d1);

const one = (value: number): Statement<{ readonly value: number }> => db.d1.prepare("SELECT ?1 AS value").bind(value);
const rename = (name: string) => db.d1.prepare("UPDATE workspaces SET name = ?1").bind(name);

beforeEach(async () => {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM workspaces"),
    env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES ('w', 'u', 'first', 1)"),
  ]);
  counting.reset();
});

describe("a batch with names", () => {
  test("gives each statement its result under its name, in one trip", async ({ expect }) => {
    const { last, renamed, first } = await batch(db, { last: one(3), renamed: rename("second"), first: one(1) });
    expect([last.results, first.results]).toEqual([[{ value: 3 }], [{ value: 1 }]]);
    expect(renamed.meta.changes).toBe(1);
    expect(counting.count).toMatchObject({ roundTrips: 1, statements: 3 });
  });

  test("sends no statement for undefined, and its result is empty", async ({ expect }) => {
    const missing = undefined as Statement<{ readonly value: number }> | undefined;
    const found = await batch(db, { before: one(1), missing, after: one(2) });
    expect(found).toMatchObject({ before: { results: [{ value: 1 }] }, after: { results: [{ value: 2 }] } });
    expect(found.missing).toEqual({ results: [], meta: { changes: 0 } });
    expect(counting.count.statements).toBe(2);
  });

  test("gives a list of statements the list of their results", async ({ expect }) => {
    const { before, values, after } = await batch(db, { before: one(0), values: [one(1), one(2)], after: one(3) });
    expect([before, ...values, after].map(({ results }) => results[0]?.value)).toEqual([0, 1, 2, 3]);
  });

  test("does not call D1 without a statement", async ({ expect }) => {
    const found = await batch(db, { none: [], missing: undefined });
    expect(found).toEqual({ none: [], missing: { results: [], meta: { changes: 0 } } });
    expect(counting.count.roundTrips).toBe(0);
  });

  test("undoes every statement when one fails", async ({ expect }) => {
    const failing = db.d1.prepare("INSERT INTO workspaces (id) VALUES ('w')");
    await expect(batch(db, { renamed: rename("second"), failing })).rejects.toThrow(/constraint failed/i);
    expect(await env.DB.prepare("SELECT name FROM workspaces").first("name")).toBe("first");
  });

  test("knows the rows of a statement whose type tells them", async () => {
    const optional = undefined as Statement<{ readonly value: number }> | undefined;
    const found = await batch(db, { typed: one(1), optional, list: [one(2)], plain: rename("second") });
    expectTypeOf(found.typed.results).toEqualTypeOf<readonly { readonly value: number }[]>();
    expectTypeOf(found.optional.results).toEqualTypeOf<readonly { readonly value: number }[]>();
    expectTypeOf(found.list[0]?.results).toEqualTypeOf<readonly { readonly value: number }[] | undefined>();
    expectTypeOf(found.plain.results).toEqualTypeOf<readonly unknown[]>();
    // @ts-expect-error -- no statement has this name
    void found.other;
  });
});
