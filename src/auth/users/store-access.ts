import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { UserRole } from "#db/schema.ts";

/** How many credentials of each kind were ended. */
export interface RevokedAccess {
  readonly keys: number;
  readonly apps: number;
  readonly webhooks: number;
  readonly feeds: number;
}

const IN_OWN_WORKSPACES = "workspace_id IN (SELECT id FROM workspaces WHERE user_id = ?1)";

/** SQL that ends the webhooks of user ?1. `now` is the parameter with the time. */
export const endWebhooksSql = (now: "?2" | "?3") =>
  `UPDATE webhooks SET disabled_at = ${now}, disabled_reason = 'access_ended', updated_at = ${now}
   WHERE ${IN_OWN_WORKSPACES} AND disabled_at IS NULL`;

export const END_FEEDS_SQL = `DELETE FROM calendar_feeds WHERE ${IN_OWN_WORKSPACES}`;

const revokeStatements = (db: Db, userId: string, now: number) => {
  const revoke = (table: string) =>
    db.d1
      .prepare(`UPDATE ${table} SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL RETURNING id`)
      .bind(userId, now);
  return {
    // End the webhooks before the keys: revoking a key ends its webhooks too, and these would then be missing from the
    // count.
    webhooks: db.d1.prepare(`${endWebhooksSql("?2")} RETURNING id`).bind(userId, now),
    feeds: db.d1.prepare(`${END_FEEDS_SQL} RETURNING hash`).bind(userId),
    keys: revoke("api_keys"),
    apps: revoke("oauth_grants"),
  };
};

export async function revokeAllAccess(db: Db, userId: string, now: number): Promise<RevokedAccess> {
  const { webhooks, feeds, keys, apps } = await batch(db, revokeStatements(db, userId, now));
  return {
    keys: keys.results.length,
    apps: apps.results.length,
    webhooks: webhooks.results.length,
    feeds: feeds.results.length,
  };
}

/**
 * Marks a user as disabled and ends all their credentials, in one transaction. A request that began earlier then finds
 * no valid credential.
 */
export async function refuseUser(db: Db, userId: string, now: number): Promise<void> {
  await db.d1.batch([
    db.d1.prepare("UPDATE users SET disabled_at = coalesce(disabled_at, ?2) WHERE id = ?1").bind(userId, now),
    db.d1.prepare("DELETE FROM sessions WHERE user_id = ?1").bind(userId),
    db.d1.prepare("DELETE FROM login_tokens WHERE user_id = ?1").bind(userId),
    ...Object.values(revokeStatements(db, userId, now)),
  ]);
}

export async function admitUser(db: Db, userId: string): Promise<void> {
  await db.d1.prepare("UPDATE users SET disabled_at = NULL WHERE id = ?1").bind(userId).run();
}

export async function updateRole(db: Db, userId: string, role: UserRole | null): Promise<void> {
  await db.d1.prepare("UPDATE users SET role = ?2 WHERE id = ?1").bind(userId, role).run();
}
