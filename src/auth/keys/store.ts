import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import type { Scope } from "#core/scope.ts";
import type { Db } from "#db/client.ts";
import { apiKeys } from "#db/schema.ts";

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
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

export async function insertKey(db: Db, key: KeyInsert): Promise<void> {
  await db.orm.insert(apiKeys).values(key);
}

/** Newest first, revoked and expired keys included: the list is the user's record of all keys. */
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

/** False when this user has no such key; revoking again keeps the first time. */
export async function markKeyRevoked(db: Db, userId: string, id: string, now: number): Promise<boolean> {
  const updated = await db.d1
    .prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND user_id = ?2 RETURNING id")
    .bind(id, userId, now)
    .all();
  return updated.results.length === 1;
}

/** Inserts the new key and sets the expiry of the old one in one batch; does nothing when the old one is no longer active. */
export async function replaceKey(db: Db, key: KeyInsert, oldId: string, oldExpiresAt: number): Promise<boolean> {
  const [inserted] = await db.d1.batch([
    db.d1
      .prepare(
        `INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at, expires_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS
         (SELECT 1 FROM api_keys WHERE id = ?9 AND user_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?7))
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
        oldId,
      ),
    db.d1
      .prepare(
        `UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?3), ?3)
         WHERE id = ?1 AND user_id = ?2 AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?4)`,
      )
      .bind(oldId, key.userId, oldExpiresAt, key.id),
  ]);
  return inserted?.results.length === 1;
}
