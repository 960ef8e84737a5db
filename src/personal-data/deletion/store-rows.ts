import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { sha256Hex } from "#core/encoding.ts";
import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { EXPORTED_TABLES, type OwnerColumn, UNEXPORTED_TABLES } from "#personal-data/tables.ts";

const ROWS_PER_STATEMENT = 500;

/**
 * Tables whose rows are deleted last: the user's address is needed for the last mail, and workspaces lead to their
 * rows.
 */
const LAST = new Set(["users", "workspaces"]);
const REQUEST = "user_deletions";

interface OwnedTable {
  readonly table: SQLiteTable;
  readonly column: OwnerColumn;
  readonly where?: string;
}

interface Person {
  readonly userId: string;
  readonly workspaceIds: readonly string[];
}

function keyOf(table: SQLiteTable): string {
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return key.map(({ name }) => name).join(", ");
}

/**
 * Deletes some rows of a table. `where` lets SQLite use a partial index; a row outside of that index is deleted with
 * its parent row.
 */
function deleteSome(db: Db, { table, column, where = "true" }: OwnedTable, person: Person): D1PreparedStatement {
  const key = keyOf(table);
  const owners = column === "workspace_id" ? person.workspaceIds : [person.userId];
  return db.d1
    .prepare(
      `DELETE FROM ${getTableConfig(table).name} WHERE (${key}) IN (SELECT ${key} FROM ${getTableConfig(table).name}
         WHERE ${column} IN (SELECT value FROM json_each(?1)) AND ${where} LIMIT ${ROWS_PER_STATEMENT})`,
    )
    .bind(JSON.stringify(owners));
}

/**
 * Deletes all rows of the person except the user and the workspaces, at most `rounds` times 500 of each table. Returns
 * whether nothing is left.
 */
export async function deleteRows(db: Db, person: Person, rounds: number): Promise<boolean> {
  await deleteRowsWithoutOwner(db, person);
  const tables = [...EXPORTED_TABLES, ...UNEXPORTED_TABLES].filter(({ table }) => {
    const { name } = getTableConfig(table);
    return !LAST.has(name) && name !== REQUEST;
  });
  let left = tables;
  for (let round = 0; round < rounds && left.length > 0; round += 1) {
    const { deleted } = await batch(db, { deleted: left.map((table) => deleteSome(db, table, person)) });
    left = left.filter((_, index) => (deleted[index]?.meta.changes ?? 0) >= ROWS_PER_STATEMENT);
  }
  return left.length === 0;
}

/** Deletes rows without an owner column. It must run before the rows that lead to them are deleted. */
async function deleteRowsWithoutOwner(db: Db, { userId, workspaceIds }: Person): Promise<void> {
  const email = await db.d1.prepare("SELECT email FROM users WHERE id = ?").bind(userId).first<string>("email");
  const workspaces = JSON.stringify(workspaceIds);
  await db.d1.batch([
    db.d1
      .prepare("DELETE FROM oauth_tokens WHERE grant_id IN (SELECT g.id FROM oauth_grants g WHERE g.user_id = ?)")
      .bind(userId),
    // An app's registration names a server's host, and the server may be the person's own.
    db.d1
      .prepare(
        `DELETE FROM app_registrations WHERE (platform, server) IN (SELECT c.platform, substr(c.external_id, instr(c.external_id, '@') + 1)
           FROM connections c WHERE c.workspace_id IN (SELECT value FROM json_each(?1)))
         AND NOT EXISTS (SELECT 1 FROM connections o WHERE o.platform = app_registrations.platform
           AND o.workspace_id NOT IN (SELECT value FROM json_each(?1))
           AND substr(o.external_id, instr(o.external_id, '@') + 1) = app_registrations.server)`,
      )
      .bind(workspaces),
    ...(email === null
      ? []
      : await Promise.all(
          ["sign_in_attempts", "account_mails"].map(async (table) =>
            db.d1.prepare(`DELETE FROM ${table} WHERE email_hash = ?`).bind(await sha256Hex(email)),
          ),
        )),
  ]);
}

/** Deletes the rows that were kept until the end, and so the user. */
export async function deleteUserRows(db: Db, { userId }: Person): Promise<void> {
  await db.d1.batch([
    db.d1.prepare("DELETE FROM workspaces WHERE user_id = ?").bind(userId),
    db.d1.prepare("DELETE FROM users WHERE id = ?").bind(userId),
  ]);
}
