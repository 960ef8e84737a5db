import { DatabaseSync } from "node:sqlite";
import { Refusal } from "./cloudflare-refusal.ts";

interface StatementResult {
  readonly results: readonly unknown[];
  readonly success: true;
  readonly meta: { readonly duration: number; readonly rows_read: number; readonly rows_written: number };
}

/** A D1 database: real SQLite. All statements of one call are one transaction, as D1 does it. */
export class D1Database {
  readonly uuid: string;
  readonly name: string;
  readonly location: string | undefined;
  readonly sqlite = new DatabaseSync(":memory:");
  #changes = 0;

  constructor(uuid: string, name: string, location: string | undefined) {
    this.uuid = uuid;
    this.name = name;
    this.location = location;
  }

  get bookmark(): string {
    return `${String(this.#changes).padStart(8, "0")}-00000000-00000000-${this.uuid.replaceAll("-", "")}`;
  }

  query(sql: string): StatementResult[] {
    this.sqlite.exec("BEGIN");
    try {
      const results = this.#run(sql);
      this.sqlite.exec("COMMIT");
      this.#changes += 1;
      return results;
    } catch (error) {
      this.sqlite.exec("ROLLBACK");
      throw new Refusal(400, 7500, `${error instanceof Error ? error.message : "unknown"}: SQLITE_ERROR`);
    }
  }

  #run(sql: string): StatementResult[] {
    const results: StatementResult[] = [];
    for (let rest = sql; rest.replaceAll(/--[^\n]*|\s|;/g, "") !== "";) {
      const statement = this.sqlite.prepare(rest);
      results.push({ results: statement.all(), success: true, meta: { duration: 0.1, rows_read: 0, rows_written: 0 } });
      rest = rest.slice(statement.sourceSQL.length);
    }
    return results;
  }

  /** The names of the applied migrations. */
  get migrations(): readonly unknown[] {
    const hasTable = this.rows("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").length === 1;
    return hasTable ? this.rows("SELECT name FROM d1_migrations ORDER BY id") : [];
  }

  /** Rows of one query, for tests. */
  rows(sql: string): readonly unknown[] {
    return this.sqlite.prepare(sql).all();
  }
}
