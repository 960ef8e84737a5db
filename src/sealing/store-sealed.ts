import type { Db } from "#db/client.ts";
import { keyIdSql, type SealedColumn } from "#db/sealed-columns.ts";

/**
 * For each table with encrypted texts: SQL for the key of a row, and for the encryption purpose, which decrypting
 * needs.
 */
const ROW_SQL: Readonly<Record<string, { readonly key: string; readonly purpose: string }>> = {
  connections: { key: "id", purpose: "id" },
  accounts: { key: "id", purpose: "connection_id || '/' || platform_account_id" },
  app_registrations: {
    key: "platform || '/' || server",
    purpose: "'app_registration/' || platform || '/' || server",
  },
  webhooks: { key: "id", purpose: "id" },
};

function rowSqlOf(table: string): { readonly key: string; readonly purpose: string } {
  const sql = ROW_SQL[table];
  if (sql === undefined) {
    throw new Error(`nothing says how a row of ${table} is named`);
  }
  return sql;
}

export interface SealedRow {
  readonly key: string;
  readonly purpose: string;
  readonly sealed: string;
}

/** Selects the rows after `after` whose text another key has encrypted, in the order of their keys. */
export async function selectSealedOtherwise(
  db: Db,
  [table, column]: SealedColumn,
  page: { readonly keyId: string; readonly after: string; readonly limit: number },
): Promise<readonly SealedRow[]> {
  const { key, purpose } = rowSqlOf(table);
  const { results } = await db.d1
    .prepare(
      `SELECT ${key} AS key, ${purpose} AS purpose, ${column} AS sealed FROM ${table}
       WHERE ${key} > ?1 AND ${column} IS NOT NULL AND ${keyIdSql(column)} <> ?2 ORDER BY 1 LIMIT ?3`,
    )
    .bind(page.after, page.keyId, page.limit)
    .all<SealedRow>();
  return results;
}

/**
 * Replaces each text only if it has not changed since it was read, so that a newer or erased text stays. One statement
 * replaces all texts, so that a killed run replaced all or none. Returns how many.
 */
export async function replaceSealed(
  db: Db,
  [table, column]: SealedColumn,
  rows: readonly { readonly key: string; readonly sealed: string; readonly resealed: string }[],
): Promise<number> {
  const { key } = rowSqlOf(table);
  const { meta } = await db.d1
    .prepare(
      `UPDATE ${table} SET ${column} = j.value ->> 'resealed' FROM (SELECT value FROM json_each(?1)) j
       WHERE ${key} = j.value ->> 'key' AND ${column} = j.value ->> 'sealed'`,
    )
    .bind(JSON.stringify(rows))
    .run();
  return meta.changes;
}

export async function readProgress(db: Db): Promise<string> {
  return (await db.d1.prepare("SELECT reseal_progress FROM service").first<string>("reseal_progress")) ?? "";
}

/** Stores how far the pass has come, unless another run has stored more meanwhile. */
export async function saveProgress(db: Db, before: string, after: string): Promise<void> {
  await db.d1.prepare("UPDATE service SET reseal_progress = ?2 WHERE reseal_progress = ?1").bind(before, after).run();
}
