import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { NOT_HELD } from "#restore/store-service.ts";

type DeletionRequester = "person" | "operator" | "restore";

export interface UserDeletion {
  readonly userId: string;
  readonly requestedBy: DeletionRequester;
  readonly requestedAt: number;
  readonly dueAt: number;
  readonly stoppedAt: number | null;
  readonly remindedAt: number | null;
  readonly erasingAt: number | null;
  readonly erasedAt: number | null;
  readonly workspaceIds: readonly string[];
}

const COLUMNS = `user_id AS userId, requested_by AS requestedBy, requested_at AS requestedAt, due_at AS dueAt, stopped_at AS stoppedAt,
  reminded_at AS remindedAt, erasing_at AS erasingAt, erased_at AS erasedAt, workspace_ids AS workspaceIds`;

type Row = Omit<UserDeletion, "workspaceIds"> & { readonly workspaceIds: string };

const toDeletion = (row: Row): UserDeletion => ({ ...row, workspaceIds: JSON.parse(row.workspaceIds) as string[] });

const OWN_WORKSPACES = "(SELECT json_group_array(w.id) FROM workspaces w WHERE w.user_id = ?1)";

export interface NewDeletion {
  readonly userId: string;
  readonly requestedBy: DeletionRequester;
  readonly now: number;
  readonly dueAt: number;
  readonly nextRunAt: number;
  /** The hash of the session that stays signed in; null if none does. */
  readonly keptSession: string | null;
}

/**
 * Stores a deletion request and ends everything that could act for the user, in one transaction: keys, apps, other
 * sessions, mailed links, logins in progress, calendar feeds and webhooks. A second request can only make the deletion
 * earlier. False for an unknown user.
 */
export async function insertDeletion(db: Db, deletion: NewDeletion): Promise<boolean> {
  const { userId, requestedBy, now, dueAt, nextRunAt, keptSession } = deletion;
  const ofUser = (sql: string, ...more: unknown[]) => db.d1.prepare(sql).bind(userId, ...more);
  const { inserted } = await batch(db, {
    inserted: ofUser(
      `INSERT INTO user_deletions (user_id, requested_by, requested_at, due_at, next_run_at, workspace_ids)
       SELECT id, ?2, ?3, ?4, ?5, ${OWN_WORKSPACES} FROM users WHERE id = ?1
       ON CONFLICT (user_id) DO UPDATE SET requested_by = excluded.requested_by, due_at = min(due_at, excluded.due_at),
         next_run_at = min(next_run_at, excluded.next_run_at) RETURNING user_id`,
      requestedBy,
      now,
      dueAt,
      nextRunAt,
    ),
    // End webhooks before keys: a revoked key would end its webhooks with a notice.
    webhooks: ofUser(
      `UPDATE webhooks SET disabled_at = ?2, disabled_reason = 'user', updated_at = ?2
       WHERE workspace_id IN (SELECT w.id FROM workspaces w WHERE w.user_id = ?1) AND disabled_at IS NULL`,
      now,
    ),
    keys: ofUser("UPDATE api_keys SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL", now),
    apps: ofUser("UPDATE oauth_grants SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL", now),
    sessions: ofUser("DELETE FROM sessions WHERE user_id = ?1 AND hash IS NOT ?2", keptSession),
    loginTokens: ofUser("DELETE FROM login_tokens WHERE user_id = ?1"),
    connectStates: ofUser("DELETE FROM connect_states WHERE user_id = ?1"),
    feeds: ofUser(
      "DELETE FROM calendar_feeds WHERE workspace_id IN (SELECT w.id FROM workspaces w WHERE w.user_id = ?1)",
    ),
  });
  return inserted.results.length === 1;
}

export async function findUserDeletion(db: Db, userId: string): Promise<UserDeletion | null> {
  const row = await db.d1.prepare(`SELECT ${COLUMNS} FROM user_deletions WHERE user_id = ?`).bind(userId).first<Row>();
  return row && toDeletion(row);
}

/** Withdraws a deletion request. False if there is none, or if erasing has begun. */
export async function deleteRequest(db: Db, userId: string): Promise<boolean> {
  const { results } = await db.d1
    .prepare("DELETE FROM user_deletions WHERE user_id = ? AND erasing_at IS NULL RETURNING user_id")
    .bind(userId)
    .all();
  return results.length === 1;
}

/** Claims due deletions, which no other run takes before `until`. Claims none while a restored database is held. */
export async function claimDeletions(
  db: Db,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<readonly UserDeletion[]> {
  const { results } = await db.d1
    .prepare(
      `UPDATE user_deletions SET next_run_at = ?2 WHERE user_id IN (
         SELECT user_id FROM user_deletions WHERE next_run_at <= ?1 ORDER BY next_run_at LIMIT ?3) AND ${NOT_HELD}
       RETURNING ${COLUMNS}`,
    )
    .bind(now, until, limit)
    .all<Row>();
  return results.map(toDeletion);
}

/** How far a run has come with a deletion, and when the next run continues. */
export interface DeletionProgress {
  readonly nextRunAt: number;
  readonly stoppedAt?: number;
  readonly remindedAt?: number;
  readonly erasedAt?: number;
}

export async function saveDeletionProgress(db: Db, userId: string, progress: DeletionProgress): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE user_deletions SET next_run_at = ?2, stopped_at = coalesce(stopped_at, ?3), reminded_at = coalesce(reminded_at, ?4),
         erased_at = coalesce(erased_at, ?5) WHERE user_id = ?1`,
    )
    .bind(
      userId,
      progress.nextRunAt,
      progress.stoppedAt ?? null,
      progress.remindedAt ?? null,
      progress.erasedAt ?? null,
    )
    .run();
}

/**
 * Begins to erase: from now on the request cannot be withdrawn, and the user cannot sign in. It stores the ids of the
 * workspaces, which later runs need after the rows are deleted. Null if the request was withdrawn meanwhile.
 */
export async function beginErasing(
  db: Db,
  { userId, now }: { readonly userId: string; readonly now: number },
): Promise<UserDeletion | null> {
  const { begun } = await batch(db, {
    begun: withRows<Row>(
      db.d1
        .prepare(
          `UPDATE user_deletions SET erasing_at = coalesce(erasing_at, ?2),
           workspace_ids = iif(${OWN_WORKSPACES} = '[]', workspace_ids, ${OWN_WORKSPACES}) WHERE user_id = ?1 RETURNING ${COLUMNS}`,
        )
        .bind(userId, now),
    ),
    sessions: db.d1
      .prepare(
        "DELETE FROM sessions WHERE user_id = ?1 AND EXISTS (SELECT 1 FROM user_deletions d WHERE d.user_id = ?1)",
      )
      .bind(userId),
  });
  const row = begun.results[0];
  return row ? toDeletion(row) : null;
}

/** Stores a hash which shows that the user was deleted, and removes the request. */
export async function completeDeletion(
  db: Db,
  { userId, userHash, erasedAt }: { readonly userId: string; readonly userHash: string; readonly erasedAt: number },
): Promise<void> {
  await db.d1.batch([
    db.d1
      .prepare("INSERT INTO deletions (user_hash, erased_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET erased_at = ?2")
      .bind(userHash, erasedAt),
    db.d1.prepare("DELETE FROM user_deletions WHERE user_id = ?").bind(userId),
  ]);
}
