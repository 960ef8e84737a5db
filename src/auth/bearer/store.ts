import type { Confirms } from "#core/actor.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Db } from "#db/client.ts";

/*
 * The statements that run for every API request, in plain SQL: one round trip each, every column under its own name, the time passed
 * in. A credential that is revoked, expired or of another kind returns no row.
 */

export interface CredentialRow {
  readonly credential_id: string;
  /** Of the key, or of the app that the grant is for. */
  readonly credential_name: string;
  readonly user_id: string;
  readonly workspace_id: string;
  readonly scopes: string;
  readonly confirms: Confirms;
  readonly time_zone: string;
  readonly last_used_at: number | null;
  readonly email_verified_at: number | null;
  readonly plan: Plan | null;
  readonly status: SubscriptionStatus | null;
  readonly current_period_end: number | null;
  readonly records_events: 0 | 1;
}

const USER_COLUMNS = `u.id AS user_id, u.active_workspace_id AS workspace_id, u.email_verified_at AS email_verified_at, u.time_zone AS time_zone,
  s.plan AS plan, s.status AS status, s.current_period_end AS current_period_end,
  EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = u.active_workspace_id AND l.recording) AS records_events`;

const BY_KEY = `SELECT k.id AS credential_id, k.name AS credential_name, k.scopes AS scopes, k.confirms AS confirms, k.last_used_at AS last_used_at, ${USER_COLUMNS}
  FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN subscriptions s ON s.user_id = u.id
  WHERE k.hash = ?1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?2)`;

const BY_ACCESS_TOKEN = `SELECT g.id AS credential_id, coalesce(c.name, '') AS credential_name, t.scopes AS scopes, g.confirms AS confirms, NULL AS last_used_at, ${USER_COLUMNS}
  FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN users u ON u.id = g.user_id
  LEFT JOIN oauth_clients c ON c.id = g.client_id LEFT JOIN subscriptions s ON s.user_id = u.id
  WHERE t.hash = ?1 AND t.kind = 'access' AND t.expires_at > ?2 AND g.revoked_at IS NULL AND g.resource = ?3`;

export function keyStatement(db: Db, hash: string, now: number): D1PreparedStatement {
  return db.d1.prepare(BY_KEY).bind(hash, now);
}

export function accessTokenStatement(db: Db, hash: string, now: number, resource: string): D1PreparedStatement {
  return db.d1.prepare(BY_ACCESS_TOKEN).bind(hash, now, resource);
}

/** Runs after the response; the condition keeps parallel requests from writing twice. */
export async function recordKeyUse(db: Db, id: string, now: number, granularityMs: number): Promise<void> {
  await db.d1
    .prepare("UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3)")
    .bind(id, now, now - granularityMs)
    .run();
}
