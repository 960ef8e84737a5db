import { env } from "cloudflare:workers";
import { DrizzleQueryError } from "drizzle-orm";
import { beforeAll, describe, test } from "vitest";
import { failUnless } from "#db/conditional.ts";
import { isConstraintViolation, isLostResponse, isOverloaded, isStalePlan, STALE_PLAN } from "#db/errors.ts";

beforeAll(async () => {
  await env.DB.prepare(
    "CREATE TABLE constrained (id TEXT PRIMARY KEY, n INTEGER, CONSTRAINT stale_plan CHECK (n > 0))",
  ).run();
});

async function errorOf(sql: string): Promise<unknown> {
  try {
    await env.DB.batch([env.DB.prepare(sql)]);
  } catch (error) {
    return error;
  }
  throw new Error(`no error: ${sql}`);
}

describe("the error texts of D1", () => {
  test("a violated CHECK is recognized by its name", async ({ expect }) => {
    const error = await errorOf("INSERT INTO constrained VALUES ('a', -1)");
    expect([isConstraintViolation(error), isStalePlan(error)]).toEqual([true, true]);
  });

  test("a statement that fails unless something holds is recognized by its name, and is no constraint", async ({
    expect,
  }) => {
    const error = await errorOf(failUnless("1 = 2", STALE_PLAN));
    expect([isConstraintViolation(error), isStalePlan(error)]).toEqual([false, true]);
    expect(isStalePlan(await errorOf(failUnless("1 = 2")))).toBe(false);
  });

  test("a key that exists already is a constraint too", async ({ expect }) => {
    await env.DB.prepare("INSERT INTO constrained VALUES ('b', 1)").run();
    const error = await errorOf("INSERT INTO constrained VALUES ('b', 2)");
    expect([isConstraintViolation(error), isStalePlan(error)]).toEqual([true, false]);
  });

  test("a wrong statement is neither a constraint nor a lost response", async ({ expect }) => {
    const error = await errorOf("INSERT INTO no_such_table VALUES (1)");
    expect([isConstraintViolation(error), isLostResponse(error)]).toEqual([false, false]);
  });

  test.for([
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: D1 DB reset because its code was updated.",
  ])("%s leaves open what was executed", (message, { expect }) => {
    expect(isLostResponse(new Error(message))).toBe(true);
    expect(isConstraintViolation(new Error(message))).toBe(false);
  });

  test("an overload is recognized inside a drizzle error, but not in the words of a user", ({ expect }) => {
    const overload = new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
    expect(isOverloaded(overload)).toBe(true);
    expect(isLostResponse(overload)).toBe(false);
    expect(isOverloaded(new DrizzleQueryError("SELECT 1", [], overload))).toBe(true);
    const caption = "D1 DB is overloaded";
    expect(isOverloaded(new DrizzleQueryError("SELECT ?", [caption], new Error("D1_ERROR: no such table")))).toBe(
      false,
    );
  });
});
