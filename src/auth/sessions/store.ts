import { eq } from "drizzle-orm";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Db } from "#db/client.ts";
import { sessions } from "#db/schema.ts";

export interface SessionRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly email: string;
  readonly time_zone: string;
  readonly has_password: 0 | 1;
  readonly email_verified_at: number | null;
  readonly plan: Plan | null;
  readonly status: SubscriptionStatus | null;
  readonly current_period_end: number | null;
  readonly authenticated_at: number;
  readonly has_passkey: 0 | 1;
  /** The user's workspaces as JSON text. */
  readonly workspaces: string;
  readonly pending_approvals: number;
  readonly open_notices: number;
  readonly records_events: 0 | 1;
  readonly is_operator: 0 | 1;
  readonly deletion_due_at: number | null;
}

/** Counting notices stops at this number, so that no page counts thousands. */
const MAX_COUNTED_NOTICES = 100;

const BY_SESSION = `SELECT u.id AS user_id, u.active_workspace_id AS workspace_id, u.email AS email, u.time_zone AS time_zone,
  u.password_hash IS NOT NULL AS has_password, u.email_verified_at AS email_verified_at,
  s.plan AS plan, s.status AS status, s.current_period_end AS current_period_end, n.authenticated_at AS authenticated_at,
  EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) AS has_passkey,
  (SELECT json_group_array(json_object('id', w.id, 'name', w.name,
      'approvalReauthentication', json(iif(w.approval_reauthentication, 'true', 'false'))) ORDER BY w.created_at, w.id) FROM workspaces w WHERE w.user_id = u.id) AS workspaces,
  (SELECT count(*) FROM approvals a WHERE a.user_id = u.id AND a.state = 'pending' AND a.expires_at > ?2 AND (
    EXISTS (SELECT 1 FROM api_keys k WHERE k.id = a.requested_by ->> 'id' AND k.revoked_at IS NULL)
    OR EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = a.requested_by ->> 'id' AND g.revoked_at IS NULL))) AS pending_approvals,
  (SELECT count(*) FROM (SELECT 1 FROM notices o WHERE o.workspace_id = u.active_workspace_id AND o.dismissed_at IS NULL
    LIMIT ${MAX_COUNTED_NOTICES})) AS open_notices,
  EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = u.active_workspace_id AND l.recording) AS records_events,
  u.role IS 'operator' AS is_operator,
  (SELECT d.due_at FROM user_deletions d WHERE d.user_id = u.id) AS deletion_due_at
  FROM sessions n JOIN users u ON u.id = n.user_id LEFT JOIN subscriptions s ON s.user_id = u.id
  WHERE n.hash = ?1 AND n.expires_at > ?2 AND u.disabled_at IS NULL`;

export function findSession(db: Db, hash: string, now: number): Promise<SessionRow | null> {
  return db.d1.prepare(BY_SESSION).bind(hash, now).first<SessionRow>();
}

export async function insertSession(db: Db, session: typeof sessions.$inferInsert): Promise<void> {
  await db.orm.insert(sessions).values(session);
}

export async function deleteSession(db: Db, hash: string): Promise<void> {
  await db.orm.delete(sessions).where(eq(sessions.hash, hash));
}

/** SQL for the short name of a session, so that pages do not show its full hash. */
export const SESSION_LABEL = "substr(hash, 1, 16)";

export function sessionLabel(hash: string): string {
  return hash.slice(0, 16);
}

export interface ActiveSession {
  readonly label: string;
  readonly createdAt: number;
}

/** The sessions of a user, one for each browser, newest first. */
export async function selectActiveSessions(db: Db, userId: string, now: number): Promise<ActiveSession[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${SESSION_LABEL} AS label, created_at AS createdAt FROM sessions WHERE user_id = ?1 AND expires_at > ?2 ORDER BY created_at DESC`,
    )
    .bind(userId, now)
    .all<ActiveSession>();
  return results;
}

export function recordAuthenticationStatement(
  db: Db,
  session: { hash: string; userId: string; now: number },
): D1PreparedStatement {
  return db.d1
    .prepare("UPDATE sessions SET authenticated_at = ?3 WHERE hash = ?1 AND user_id = ?2")
    .bind(session.hash, session.userId, session.now);
}
