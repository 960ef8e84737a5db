import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

const migrations = env.TEST_MIGRATIONS;

async function schemaNames(type: "index" | "trigger" | "table"): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations' ORDER BY name",
  )
    .bind(type)
    .all<{ name: string }>();
  return results.map((row) => row.name);
}

/** Inserts one row into every empty table, with values made from the declared column types. */
async function insertRowIntoEveryTable(): Promise<Map<string, number>> {
  const filled = await countRows();
  for (const table of (await schemaNames("table")).filter((name) => filled.get(name) === 0)) {
    const { results: columns } = await env.DB.prepare(
      `SELECT name, type, "notnull" AS required FROM pragma_table_info(?)`,
    )
      .bind(table)
      .all<{ name: string; type: string; required: number }>();
    const values = columns.map((column) =>
      column.type.toUpperCase() === "INTEGER" ? 1 : column.required ? "[]" : null,
    );
    await env.DB.prepare(
      `INSERT INTO ${table} (${columns.map((c) => `"${c.name}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    )
      .bind(...values)
      .run();
  }
  return countRows();
}

async function countRows(): Promise<Map<string, number>> {
  const rowCounts = new Map<string, number>();
  for (const table of await schemaNames("table")) {
    rowCounts.set(table, (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n")) ?? 0);
  }
  return rowCounts;
}

describe("migrations", () => {
  test("no migration rebuilds a table, drops one, cascades or turns foreign keys off", () => {
    for (const migration of migrations) {
      const text = migration.queries.join(";\n");
      expect(text, migration.name).not.toMatch(/DROP\s+TABLE|__new_|PRAGMA\s+foreign_keys|ON\s+DELETE\s+CASCADE/i);
    }
  });

  test("every migration after the first keeps every row, index and trigger of a filled database", async () => {
    await reset();
    const [first, ...rest] = migrations;
    await applyD1Migrations(env.DB, first ? [first] : []);
    const rows = await insertRowIntoEveryTable();
    let indexes = await schemaNames("index");
    let triggers = await schemaNames("trigger");
    for (const migration of rest) {
      await applyD1Migrations(env.DB, [migration]);
      const after = await countRows();
      for (const [table, count] of rows) {
        expect(after.get(table), `${table} after ${migration.name}`).toBeGreaterThanOrEqual(count);
      }
      expect(await schemaNames("index"), migration.name).toEqual(expect.arrayContaining(indexes));
      expect(await schemaNames("trigger"), migration.name).toEqual(expect.arrayContaining(triggers));
      indexes = await schemaNames("index");
      triggers = await schemaNames("trigger");
    }
  });

  test("make the database with which each test file begins", async () => {
    const described = async () => {
      const { results } = await env.DB.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY type, name",
      ).all<{ sql: string | null }>();
      const { results: applied } = await env.DB.prepare("SELECT id, name FROM d1_migrations ORDER BY id").all();
      return {
        definitions: results.map((row) => ({ ...row, sql: row.sql?.replaceAll(/\s+|IF NOT EXISTS/g, "") })),
        applied,
        rows: [...(await countRows())],
        service: await env.DB.prepare("SELECT * FROM service")
          .all()
          .then((found) => found.results),
      };
    };
    await reset();
    await env.DB.batch(env.TEST_SCHEMA.map((statement) => env.DB.prepare(statement)));
    const snapshot = await described();
    await reset();
    await applyD1Migrations(env.DB, migrations);
    expect(snapshot).toEqual(await described());
  });
});
