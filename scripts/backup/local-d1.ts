import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type BoundStatement, d1Over, type StatementResult } from "./d1-over.ts";

/**
 * How long (ms) to wait for locks. The runtime has the file open too and does not wait, so transactions here are short.
 */
const LOCK_TIMEOUT_MS = 30_000;

const toSqlite = (value: unknown): SQLInputValue =>
  typeof value === "boolean" ? Number(value) : (value as SQLInputValue);

function runIn(database: DatabaseSync, { sql, params }: BoundStatement): StatementResult {
  const countChanges = () => Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
  const before = countChanges();
  const results = database.prepare(sql).all(...params.map(toSqlite));
  return { results, meta: { changes: countChanges() - before } };
}

/**
 * A database on this machine. The file is opened for every call, because a restore may replace it. If there is no file,
 * there are no tables.
 */
export function localD1(file: string): D1Database {
  return d1Over(async (batch) => {
    const database = new DatabaseSync(existsSync(file) ? file : ":memory:", {
      timeout: LOCK_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    try {
      database.exec("BEGIN IMMEDIATE");
      const results = batch.map((statement) => runIn(database, statement));
      database.exec("COMMIT");
      return results;
    } finally {
      // Closing rolls back an open transaction.
      database.close();
    }
  });
}
