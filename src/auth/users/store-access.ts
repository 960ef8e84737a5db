import type { Db } from "#db/client.ts";
import type { UserRole } from "#db/schema.ts";

/** How many keys and apps were revoked. */
export interface RevokedAccess {
  readonly keys: number;
  readonly apps: number;
}

const revokeStatements = (db: Db, userId: string, now: number): D1PreparedStatement[] =>
  ["api_keys", "oauth_grants"].map((table) =>
    db.d1
      .prepare(`UPDATE ${table} SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL RETURNING id`)
      .bind(userId, now),
  );

export async function revokeKeysAndGrants(db: Db, userId: string, now: number): Promise<RevokedAccess> {
  const [keys, apps] = await db.d1.batch(revokeStatements(db, userId, now));
  return { keys: keys?.results.length ?? 0, apps: apps?.results.length ?? 0 };
}

/**
 * Marks the user as disabled and, in the same transaction, ends all credentials of the user. A request that began earlier then finds no
 * valid credential.
 */
export async function refuseUser(db: Db, userId: string, now: number): Promise<void> {
  await db.d1.batch([
    db.d1.prepare("UPDATE users SET disabled_at = coalesce(disabled_at, ?2) WHERE id = ?1").bind(userId, now),
    db.d1.prepare("DELETE FROM sessions WHERE user_id = ?1").bind(userId),
    db.d1.prepare("DELETE FROM login_tokens WHERE user_id = ?1").bind(userId),
    ...revokeStatements(db, userId, now),
  ]);
}

export async function admitUser(db: Db, userId: string): Promise<void> {
  await db.d1.prepare("UPDATE users SET disabled_at = NULL WHERE id = ?1").bind(userId).run();
}

export async function updateRole(db: Db, userId: string, role: UserRole | null): Promise<void> {
  await db.d1.prepare("UPDATE users SET role = ?2 WHERE id = ?1").bind(userId, role).run();
}
