import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { SEALED_COLUMNS, sealedPerKeySql } from "#db/sealed-columns.ts";

/**
 * Runs a query; null if it fails. The operator asks because something is wrong, and needs the other facts all the same.
 */
async function rowsOrNull<T>(db: Db, sql: string): Promise<readonly T[] | null> {
  try {
    return (await db.d1.prepare(sql).all<T>()).results;
  } catch {
    return null;
  }
}

/** The names of the applied migrations, from the table that wrangler writes. */
export async function readMigrations(db: Db): Promise<readonly string[] | null> {
  const rows = await rowsOrNull<{ name: string }>(db, "SELECT name FROM d1_migrations ORDER BY id");
  return rows && rows.map(({ name }) => name);
}

export async function countSealedPerKey(db: Db): Promise<readonly { readonly id: string; readonly rows: number }[]> {
  return (await rowsOrNull<{ id: string; rows: number }>(db, sealedPerKeySql(SEALED_COLUMNS))) ?? [];
}

export interface ServiceFacts {
  readonly beat: number;
  readonly hasUsers: boolean;
}

export async function readServiceFacts(db: Db): Promise<ServiceFacts | null> {
  const rows = await rowsOrNull<{ beat: number; hasUsers: number }>(
    db,
    "SELECT beat, EXISTS (SELECT 1 FROM users) AS hasUsers FROM service",
  );
  const row = rows?.[0];
  return row ? { beat: row.beat, hasUsers: row.hasUsers === 1 } : null;
}

export async function countAccounts(db: Db): Promise<ReadonlyMap<Platform, number>> {
  const rows = await rowsOrNull<{ platform: Platform; count: number }>(
    db,
    "SELECT platform, count(*) AS count FROM accounts WHERE disconnected_at IS NULL GROUP BY platform",
  );
  return new Map((rows ?? []).map(({ platform, count }) => [platform, count]));
}

/** The platform of a connected account. Null if it does not belong to this user, or to the workspace of a pinned key. */
export async function findAccountOf(
  db: Db,
  owner: { readonly userId: string; readonly workspaceId: string | null },
  accountId: string,
): Promise<Platform | null> {
  const row = await db.d1
    .prepare(
      `SELECT platform FROM accounts
       WHERE id = ?1 AND user_id = ?2 AND disconnected_at IS NULL AND (?3 IS NULL OR workspace_id = ?3)`,
    )
    .bind(accountId, owner.userId, owner.workspaceId)
    .first<{ platform: Platform }>();
  return row?.platform ?? null;
}
