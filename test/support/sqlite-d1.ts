import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "migrations");

/** A D1 binding over SQLite in this process with all migrations, for tests that need files or processes beside it. */
export function sqliteD1(): D1Database {
  const sqlite = new DatabaseSync(":memory:");
  for (const name of readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()) {
    sqlite.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  }
  const prepare = (sql: string, values: readonly SQLInputValue[] = []) => {
    const run = () => {
      const statement: StatementSync = sqlite.prepare(sql);
      const results = statement.all(...values).map((row) => ({ ...row }));
      return { results, success: true, meta: {} };
    };
    return {
      run,
      bind: (...bound: SQLInputValue[]) => prepare(sql, bound),
      all: () => Promise.resolve(run()),
      first: (column?: string) => {
        const [row] = run().results;
        return Promise.resolve(row === undefined ? null : column === undefined ? row : row[column]);
      },
    };
  };
  return {
    prepare,
    batch: (statements: readonly ReturnType<typeof prepare>[]) => {
      sqlite.exec("BEGIN");
      try {
        const results = statements.map((statement) => statement.run());
        sqlite.exec("COMMIT");
        return Promise.resolve(results);
      } catch (error) {
        sqlite.exec("ROLLBACK");
        return Promise.reject(error);
      }
    },
  } as unknown as D1Database;
}
