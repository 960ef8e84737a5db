import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { D1Database } from "./d1-database.ts";
import { REFUSED_SHAPES, refusedShapes } from "./d1-refused-shapes.ts";
import { freshAccount, inventory } from "./fresh.ts";

/* Whole migrations reach D1 although its `/query` splits them wrongly. The reports name these forms, each alone. */

const TABLE = "CREATE TABLE a (b TEXT);";
const trigger = (body: string) => `CREATE TRIGGER t AFTER INSERT ON a BEGIN ${body} END;`;

const PLANTED: Readonly<Record<string, string>> = {
  "a CASE without parentheses in a trigger": trigger("SELECT CASE WHEN 1 THEN 2 END;"),
  "a begin or end in small letters": "CREATE TRIGGER t AFTER INSERT ON a begin SELECT 1; END;",
  "CRLF in a trigger": "CREATE TRIGGER t AFTER INSERT ON a\r\nBEGIN\r\n  SELECT 1;\r\nEND;",
  "a multi-line trigger beside other statements": `${TABLE}\n${trigger("\n  SELECT 1;\n")}`,
  "several statements of more than 40 KB": Array.from(
    { length: 400 },
    (_, at) => `CREATE INDEX i${at} ON a (b) WHERE b <> '${"x".repeat(100)}';`,
  ).join("\n"),
  "a quote in a comment beside several statements": `-- It's a comment\nSELECT 1;\nSELECT 2;`,
  "a semicolon in a comment": "SELECT 1; -- one; two",
};

describe("D1's /query", () => {
  test.each(REFUSED_SHAPES.map(({ name }) => name))("refuses %s, which the import takes", (name) => {
    const sql = PLANTED[name] ?? "";
    expect(refusedShapes(sql)).toEqual([name]);
    const database = new D1Database("00000000-0000-0000-0000-000000000000", "a", undefined);
    if (!sql.includes(TABLE)) {
      database.query(TABLE);
    }
    expect(() => database.queryByApi({ sql })).toThrow("incomplete input: SQLITE_ERROR");
    const { at_bookmark: bookmark = "" } = database.beginImport(sql);
    expect(database.pollImport(bookmark)).toMatchObject({ status: "complete" });
    database.close();
  });

  test.each([
    ["a trigger alone, on several lines", trigger("\n  INSERT INTO a VALUES ((CASE WHEN 1 THEN 'begin; end' END));\n")],
    ["a trigger on one line beside a table", `${TABLE}\n${trigger("SELECT (CASE WHEN 1 THEN 2 END);")}`],
    ["several tables", `-- Two tables\n${TABLE}\nCREATE TABLE c (d TEXT);`],
  ])("takes %s", (_, sql) => {
    expect(refusedShapes(sql)).toEqual([]);
  });
});

describe("the migrations", { timeout: 120_000 }, () => {
  test("of a first deployment may have every form that /query refuses", async ({ expect: expectHere }) => {
    const planted = Object.entries(PLANTED).map(([, sql], at) => [
      `${String(at + 1).padStart(4, "0")}_planted.sql`,
      sql.replaceAll(/\b(TABLE|TRIGGER) (\w)\b/g, `$1 $2${at}`),
    ]);
    const migrations = {
      "0000_first.sql": "CREATE TABLE users (id TEXT);\nCREATE TABLE a (b TEXT);",
      ...Object.fromEntries(planted),
    };
    const { api, operator } = await freshAccount({ migrations });
    const run = await operator.deploy();
    expectHere(run.code, run.output).toBe(0);
    expectHere(inventory(api).migrations).toEqual(Object.keys(migrations).map((name) => ({ name })));
  });

  test("make the same tables by the import as by SQLite, and the second deployment applies none", async ({
    expect: expectHere,
  }) => {
    const { api, operator } = await freshAccount();
    const first = await operator.deploy();
    expectHere(first.code, first.output).toBe(0);
    const folder = path.join(import.meta.dirname, "../../migrations");
    const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    expectHere(first.output).toContain(`applied ${files.join(", ")}`);
    const local = new D1Database("00000000-0000-0000-0000-000000000000", "a", undefined);
    for (const name of files) {
      local.query(readFileSync(path.join(folder, name), "utf8"));
    }
    const schema = (database: D1Database) =>
      database.rows(
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name NOT IN ('d1_migrations', 'sqlite_sequence') ORDER BY name",
      );
    expectHere(schema(api.account.database("almanac"))).toEqual(schema(local));
    const second = await operator.deploy();
    expectHere(second.output).toContain("none is new");
    local.close();
  });

  test.for([
    [2, "after the upload of the file", []],
    [3, "after the import", ["0000_first.sql"]],
  ] as const)(
    "of a deployment that is killed at call %i, %s, are there after the next",
    async ([nth, , applied], { expect: expectHere }) => {
      const { api, operator } = await freshAccount({
        migrations: { "0000_first.sql": "CREATE TABLE users (id TEXT);" },
      });
      let pid = 0;
      let calls = 0;
      const killed = await operator.deploy({
        onStart: (started) => (pid = started),
        onCall({ name }) {
          calls += name.endsWith("/import") ? 1 : 0;
          return (
            name.endsWith("/import") && calls === nth && process.kill(-pid, "SIGKILL") && new Promise(() => undefined)
          );
        },
      });
      expectHere([killed.code, inventory(api).migrations]).toEqual([null, applied.map((name) => ({ name }))]);
      const next = await operator.deploy();
      expectHere(next.code, next.output).toBe(0);
      expectHere(inventory(api).migrations).toEqual([{ name: "0000_first.sql" }]);
    },
  );
});
