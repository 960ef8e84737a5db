import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

interface Result {
  readonly results: readonly Record<string, unknown>[];
  readonly success: true;
  readonly meta: { readonly changes: number };
}

/** The runtime has the file open too, and waits for nobody: transactions here are short, and this side waits. */
const LOCK_TIMEOUT_MS = 30_000;

class LocalStatement {
  readonly #send: (batch: readonly LocalStatement[]) => Result[];
  readonly sql: string;
  readonly params: readonly SQLInputValue[];

  constructor(
    send: (batch: readonly LocalStatement[]) => Result[],
    sql: string,
    params: readonly SQLInputValue[] = [],
  ) {
    this.#send = send;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: readonly unknown[]): LocalStatement {
    const values = params.map((value) => (typeof value === "boolean" ? Number(value) : (value as SQLInputValue)));
    return new LocalStatement(this.#send, this.sql, values);
  }

  all(): Promise<Result> {
    const [result] = this.#send([this]);
    return Promise.resolve(result ?? { results: [], success: true, meta: { changes: 0 } });
  }

  run(): Promise<Result> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results;
    return (column === undefined ? row : row?.[column]) ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return (await this.all()).results.map((row) => Object.values(row));
  }
}

/**
 * A database on this machine with the methods of the binding that use cases call. The file is opened for every call, because a restore may
 * replace it. Where there is none, there are no tables.
 */
export function localD1(file: string): D1Database {
  const send = (batch: readonly LocalStatement[]): Result[] => {
    const database = new DatabaseSync(existsSync(file) ? file : ":memory:", {
      timeout: LOCK_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    try {
      database.exec("BEGIN IMMEDIATE");
      const results = batch.map(({ sql, params }): Result => {
        const before = Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
        const rows = database.prepare(sql).all(...params);
        const after = Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
        return { results: rows, success: true, meta: { changes: after - before } };
      });
      database.exec("COMMIT");
      return results;
    } finally {
      // What is open is rolled back.
      database.close();
    }
  };
  const database = {
    prepare: (sql: string) => new LocalStatement(send, sql),
    batch: (statements: LocalStatement[]) => Promise.resolve(send(statements)),
  };
  return database as unknown as D1Database;
}
