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
}

const BY_SESSION = `SELECT u.id AS user_id, u.active_workspace_id AS workspace_id, u.email AS email, u.time_zone AS time_zone,
  u.password_hash IS NOT NULL AS has_password, u.email_verified_at AS email_verified_at,
  s.plan AS plan, s.status AS status, s.current_period_end AS current_period_end
  FROM sessions n JOIN users u ON u.id = n.user_id LEFT JOIN subscriptions s ON s.user_id = u.id
  WHERE n.hash = ?1 AND n.expires_at > ?2`;

export function findSession(db: Db, hash: string, now: number): Promise<SessionRow | null> {
  return db.d1.prepare(BY_SESSION).bind(hash, now).first<SessionRow>();
}

export async function insertSession(db: Db, session: typeof sessions.$inferInsert): Promise<void> {
  await db.orm.insert(sessions).values(session);
}

export async function deleteSession(db: Db, hash: string): Promise<void> {
  await db.orm.delete(sessions).where(eq(sessions.hash, hash));
}
