import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import type { Confirms } from "#core/actor.ts";
import type { Scope } from "#core/scope.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { apiKeys } from "#db/schema.ts";

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly confirms: Confirms;
  /** The only workspace in which the key works; null if it works in all. */
  readonly workspaceId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

const PUBLIC_COLUMNS = {
  id: apiKeys.id,
  name: apiKeys.name,
  hint: apiKeys.hint,
  scopes: apiKeys.scopes,
  confirms: apiKeys.confirms,
  workspaceId: apiKeys.workspaceId,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
};

const ownedBy = (userId: string, id: string) => and(eq(apiKeys.id, id), eq(apiKeys.userId, userId));
const notExpired = (now: number) =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

export interface KeyInsert {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly scopes: Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** SQL for the number of API keys of user ?1 that work at time ?2. */
const ACTIVE_KEYS = `(SELECT count(*) FROM api_keys
  WHERE user_id = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2))`;

export async function countActiveKeys(db: Db, userId: string, now: number): Promise<number> {
  const row = await db.d1.prepare(`SELECT ${ACTIVE_KEYS} AS used`).bind(userId, now).first<{ used: number }>();
  return row?.used ?? 0;
}

/**
 * Inserts a key unless the user has too many, or the workspace belongs to another user. One statement counts and
 * inserts, so that parallel calls cannot exceed the limit.
 */
export async function insertKey(
  db: Db,
  key: KeyInsert & Pick<ApiKey, "confirms" | "workspaceId">,
  limit: number,
): Promise<{ inserted: boolean; used: number }> {
  const { inserted, counted } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at, expires_at, confirms, workspace_id)
         SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?2, ?8, ?10, ?11 WHERE ${ACTIVE_KEYS} < ?9
           AND (?11 IS NULL OR EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?11 AND w.user_id = ?1)) RETURNING 1 AS used`,
      )
      .bind(
        key.userId,
        key.createdAt,
        key.id,
        key.name,
        key.hash,
        key.hint,
        JSON.stringify(key.scopes),
        key.expiresAt,
        limit,
        key.confirms,
        key.workspaceId,
      ),
    counted: withRows<{ used: number }>(db.d1.prepare(`SELECT ${ACTIVE_KEYS} AS used`).bind(key.userId, key.createdAt)),
  });
  return { inserted: inserted.results.length === 1, used: counted.results[0]?.used ?? 0 };
}

/** The user's keys, newest first, with revoked and expired ones, because the list is the record of all keys. */
export function selectKeys(db: Db, userId: string): Promise<ApiKey[]> {
  return db.orm
    .select(PUBLIC_COLUMNS)
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
}

export async function findActiveKey(db: Db, userId: string, id: string, now: number): Promise<ApiKey | undefined> {
  const [key] = await db.orm
    .select(PUBLIC_COLUMNS)
    .from(apiKeys)
    .where(and(ownedBy(userId, id), notExpired(now)));
  return key;
}

/** Marks a key as revoked. False if this user has no such key. The time of an earlier revocation stays. */
export async function markKeyRevoked(db: Db, userId: string, id: string, now: number): Promise<boolean> {
  const updated = await db.d1
    .prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND user_id = ?2 RETURNING id")
    .bind(id, userId, now)
    .all();
  return updated.results.length === 1;
}

/** Sets who confirms for a key. False if the user has no such key, or the key no longer works. */
export async function updateKeyConfirms(
  db: Db,
  input: { userId: string; id: string; confirms: Confirms; now: number },
): Promise<boolean> {
  const updated = await db.orm
    .update(apiKeys)
    .set({ confirms: input.confirms })
    .where(and(ownedBy(input.userId, input.id), notExpired(input.now)))
    .returning({ id: apiKeys.id });
  return updated.length === 1;
}

/**
 * Inserts a new key and sets the expiry of the old one in one batch. Does nothing if the old key no longer works, or if
 * the user has `limit` working keys.
 */
export async function replaceKey(
  db: Db,
  key: KeyInsert,
  old: { readonly id: string; readonly expiresAt: number },
  limit: number,
): Promise<boolean> {
  const { inserted } = await batch(db, {
    inserted: db.d1
      .prepare(
        // Copy `confirms` from the old key's row inside the statement, so that a parallel change of it is not lost.
        `INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at, expires_at, confirms, workspace_id)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, confirms, workspace_id FROM api_keys
         WHERE id = ?9 AND user_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?7) AND (SELECT count(*) FROM api_keys WHERE user_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?7)) < ?10
         RETURNING id`,
      )
      .bind(
        key.id,
        key.userId,
        key.name,
        key.hash,
        key.hint,
        JSON.stringify(key.scopes),
        key.createdAt,
        key.expiresAt,
        old.id,
        limit,
      ),
    expiry: db.d1
      .prepare(
        `UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?3), ?3)
         WHERE id = ?1 AND user_id = ?2 AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?4)`,
      )
      .bind(old.id, key.userId, old.expiresAt, key.id),
    // Move the webhooks of the old key to the new key, so that they do not end with the old one.
    webhooks: db.d1
      .prepare(
        `UPDATE webhooks SET made_by = json_set(made_by, '$.id', ?3)
         WHERE workspace_id IN (SELECT id FROM workspaces WHERE user_id = ?2) AND made_by ->> '$.id' = ?1
           AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?3)`,
      )
      .bind(old.id, key.userId, key.id),
  });
  return inserted.results.length === 1;
}
