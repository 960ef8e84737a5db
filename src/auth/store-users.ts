import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Db } from "#db/client.ts";

export interface UserInsert {
  readonly userId: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly timeZone: string;
  readonly plan: Plan;
  readonly status: SubscriptionStatus;
  readonly currentPeriodEnd: number | null;
  readonly createdAt: number;
  readonly onlyFirst: boolean;
}

const FIRST_WORKSPACE = "My workspace";

/** One batch; subscription and workspace are made only if the user was. */
export async function insertUser(db: Db, user: UserInsert): Promise<"created" | "email_taken" | "not_first"> {
  const [inserted, , , others] = await db.d1.batch<{ id: string }>([
    db.d1
      .prepare(
        `INSERT INTO users (id, email, password_hash, active_workspace_id, time_zone, failed_logins, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, 0, ?6 WHERE NOT (?7 AND EXISTS (SELECT 1 FROM users))
         ON CONFLICT (email) DO NOTHING RETURNING id`,
      )
      .bind(
        user.userId,
        user.email,
        user.passwordHash,
        user.workspaceId,
        user.timeZone,
        user.createdAt,
        user.onlyFirst ? 1 : 0,
      ),
    db.d1
      .prepare(
        `INSERT INTO subscriptions (user_id, plan, status, current_period_end, updated_at)
         SELECT id, ?2, ?3, ?4, ?5 FROM users WHERE id = ?1`,
      )
      .bind(user.userId, user.plan, user.status, user.currentPeriodEnd, user.createdAt),
    db.d1
      .prepare("INSERT INTO workspaces (id, user_id, name, created_at) SELECT ?2, id, ?3, ?4 FROM users WHERE id = ?1")
      .bind(user.userId, user.workspaceId, FIRST_WORKSPACE, user.createdAt),
    db.d1.prepare("SELECT id FROM users WHERE email = ?1").bind(user.email),
  ]);
  if (inserted?.results.length === 1) {
    return "created";
  }
  return others?.results.length === 1 ? "email_taken" : "not_first";
}

/** Ten wrong passwords are free; from then on one attempt a minute, whoever makes it. */
const FREE_FAILURES = 10;
const SLOW_DOWN_MS = 60_000;

/**
 * Takes the right to check one password and counts the attempt as failed until it turns out right: parallel guesses cannot
 * share one allowance. Null for an unknown e-mail and for an attempt that has to wait, which a caller cannot tell apart.
 */
export function claimAttempt(
  db: Db,
  email: string,
  now: number,
): Promise<{ id: string; password_hash: string | null } | null> {
  return db.d1
    .prepare(
      `UPDATE users SET failed_logins = failed_logins + 1,
         next_login_at = CASE WHEN failed_logins + 1 >= ${FREE_FAILURES} THEN ?2 + ${SLOW_DOWN_MS} END
       WHERE email = ?1 AND (next_login_at IS NULL OR next_login_at <= ?2) RETURNING id, password_hash`,
    )
    .bind(email, now)
    .first();
}

/** The password was right: the count starts over, and an outdated hash is replaced. */
export async function settleAttempt(db: Db, userId: string, newHash: string | null): Promise<void> {
  await db.d1
    .prepare(
      "UPDATE users SET failed_logins = 0, next_login_at = NULL, password_hash = coalesce(?2, password_hash) WHERE id = ?1",
    )
    .bind(userId, newHash)
    .run();
}

export async function countUsers(db: Db): Promise<number> {
  const row = await db.d1.prepare("SELECT count(*) AS n FROM (SELECT 1 FROM users LIMIT 1)").first<{ n: number }>();
  return row?.n ?? 0;
}

export async function passwordHashOf(db: Db, userId: string): Promise<string | null> {
  const row = await db.d1
    .prepare("SELECT password_hash AS hash FROM users WHERE id = ?1")
    .bind(userId)
    .first<{ hash: string | null }>();
  return row?.hash ?? null;
}

export async function setTimeZoneRow(db: Db, userId: string, timeZone: string): Promise<void> {
  await db.d1.prepare("UPDATE users SET time_zone = ?2 WHERE id = ?1").bind(userId, timeZone).run();
}

export async function setEmailVerified(db: Db, userId: string, now: number): Promise<void> {
  await db.d1
    .prepare("UPDATE users SET email_verified_at = coalesce(email_verified_at, ?2) WHERE id = ?1")
    .bind(userId, now)
    .run();
}

export async function userIdByEmail(db: Db, email: string): Promise<string | null> {
  const row = await db.d1.prepare("SELECT id FROM users WHERE email = ?1").bind(email).first<{ id: string }>();
  return row?.id ?? null;
}

/** The new password, the end of every session but one, and where asked for the end of all keys and apps: one batch. */
export async function replacePassword(
  db: Db,
  change: { userId: string; passwordHash: string; keptSession: string | null; revokeAll: boolean; now: number },
): Promise<void> {
  const { userId, now } = change;
  const statements = [
    db.d1
      .prepare("UPDATE users SET password_hash = ?2, failed_logins = 0, next_login_at = NULL WHERE id = ?1")
      .bind(userId, change.passwordHash),
    db.d1
      .prepare("DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)")
      .bind(userId, change.keptSession),
    db.d1.prepare("DELETE FROM login_tokens WHERE user_id = ?1 AND purpose = 'reset_password'").bind(userId),
  ];
  if (change.revokeAll) {
    statements.push(
      db.d1.prepare("UPDATE api_keys SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL").bind(userId, now),
      db.d1
        .prepare("UPDATE oauth_grants SET revoked_at = ?2 WHERE user_id = ?1 AND revoked_at IS NULL")
        .bind(userId, now),
    );
  }
  await db.d1.batch(statements);
}

export interface UserRow {
  readonly userId: string;
  readonly email: string;
  readonly createdAt: number;
  readonly plan: Plan | null;
  readonly status: SubscriptionStatus | null;
  readonly currentPeriodEnd: number | null;
}

export async function selectUsers(db: Db): Promise<UserRow[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT u.id AS userId, u.email AS email, u.created_at AS createdAt, s.plan AS plan, s.status AS status, s.current_period_end AS currentPeriodEnd
       FROM users u LEFT JOIN subscriptions s ON s.user_id = u.id ORDER BY u.id`,
    )
    .all<UserRow>();
  return results;
}
