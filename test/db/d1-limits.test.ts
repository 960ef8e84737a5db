import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { functionWithTooManyArguments } from "../support/d1-limits.ts";

const list = (count: number, item: string) => Array.from({ length: count }, () => item).join(", ");

/* The set-up of the tests adds the limits that the local runtime does not hold; a statement of the service over one fails its tests. */
describe("the database of the tests refuses what D1 refuses", () => {
  test.for<[string, () => Promise<unknown>, RegExp]>([
    ["33 arguments", () => env.DB.prepare(`SELECT json_array(${list(33, "1")})`).all(), /D1 allows 32 arguments/],
    [
      "101 parameters",
      () =>
        env.DB.prepare("SELECT ?101")
          .bind(...Array(101).fill(1))
          .all(),
      /variable number/,
    ],
    ["100 KB of SQL", () => env.DB.prepare(`SELECT '${"x".repeat(100_000)}'`).all(), /statement too long/],
    ["a pattern of 51 bytes", () => env.DB.prepare("SELECT 'x' LIKE ?").bind("x".repeat(51)).all(), /pattern/],
    ["a parameter of 2 MB", () => env.DB.prepare("SELECT length(?)").bind("x".repeat(2_000_001)).all(), /a parameter/],
    [
      "a parameter of 2 MB in characters of three bytes",
      () => env.DB.prepare("SELECT length(?)").bind("€".repeat(666_667)).first(),
      /a parameter/,
    ],
    ["a row of 2 MB", () => env.DB.prepare("SELECT ?1 AS a, ?1 AS b").bind("x".repeat(1_000_001)).run(), /a row/],
    ["a first row of 2 MB", () => env.DB.prepare("SELECT ?1 || ?1").bind("x".repeat(1_000_001)).first(), /a row/],
    ["a raw row of 2 MB", () => env.DB.prepare("SELECT ?1 || ?1").bind("x".repeat(1_000_001)).raw(), /a row/],
    [
      "a row of 2 MB in a batch",
      () => env.DB.batch([env.DB.prepare("SELECT ?1 || ?1").bind("x".repeat(1_000_001))]),
      /a row/,
    ],
  ])("%s", async ([, work, message], { expect }) => {
    await expect((async () => await work())()).rejects.toThrow(message);
  });

  test("and nothing below", async ({ expect }) => {
    const row = await env.DB.prepare(
      `SELECT json_array(${list(32, "1")}) AS list, length(?1) AS length, '${"x".repeat(99_000)}' AS text`,
    )
      .bind("€".repeat(666_000))
      .first();
    expect(row).toMatchObject({ length: 666_000 });
  });
});

describe("the arguments of a function", () => {
  test.for([
    [`SELECT json_object(${list(33, "'a, (b'")})`, "json_object"],
    [`SELECT coalesce(max(${list(33, "x")}), 0)`, "max"],
    [`CREATE TRIGGER t AFTER UPDATE ON p BEGIN SELECT json_array (${list(40, "new.a")}); END`, "json_array"],
    [`SELECT json_object(${list(32, "1 -- , ,\n")})`, undefined],
    [`INSERT INTO posts (${list(40, "a")}) VALUES (${list(40, "?")})`, undefined],
    [`INSERT INTO posts(${list(40, "a")}) SELECT 1 WHERE a IN (${list(60, "?")})`, undefined],
    [`WITH f(${list(40, "a")}) AS (SELECT 1), g AS (SELECT ${list(40, "1")}) SELECT 1`, undefined],
    [`CREATE TABLE IF NOT EXISTS posts (${list(40, "a text")}, PRIMARY KEY(a, b))`, undefined],
  ] as const)("of %s", ([sql, name], { expect }) => {
    expect(functionWithTooManyArguments(sql)).toBe(name);
  });
});
