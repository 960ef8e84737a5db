import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** A table and its columns; the names come from the schema, so that they may stand in statements. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

export const quoted = (names: readonly string[], prefix = ""): string =>
  names.map((name) => `${prefix}"${name}"`).join(", ");

/** The tables with data, without the tables of SQLite and of the runtime. */
export function tablesOf(database: DatabaseSync, schema = "main"): Table[] {
  const names = database
    .prepare(
      `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all() as { name: string }[];
  return names.map(({ name }) => {
    const columns = database.prepare(`PRAGMA ${schema}.table_info("${name}")`).all() as { name: string; pk: number }[];
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
  });
}

export function dropTriggers(database: DatabaseSync): void {
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all() as {
    name: string;
  }[];
  for (const { name } of triggers) {
    database.exec(`DROP TRIGGER "${name}"`);
  }
}

/** The names of the applied migrations, in their order. */
export function appliedMigrations(database: DatabaseSync): string[] {
  const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get() !== undefined;
  return hasTable
    ? (database.prepare("SELECT name FROM d1_migrations ORDER BY id").all() as { name: string }[]).map(
        ({ name }) => name,
      )
    : [];
}

/** A database that was written by a later version. */
export class UnknownMigration extends Error {}

/** Brings a copy to the schema of this folder, as a deployment does it. */
export async function applyMigrations(database: DatabaseSync, folder = "migrations"): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const applied = new Set(appliedMigrations(database));
  const unknown = [...applied].find((name) => !files.includes(name));
  if (unknown !== undefined) {
    throw new UnknownMigration(unknown);
  }
  database.exec(
    `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
  );
  for (const name of files.filter((file) => !applied.has(file))) {
    database.exec(`BEGIN; ${await readFile(join(folder, name), "utf8")}; COMMIT`);
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
}
