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

const FIRST_WORKSPACE_NAME = "My workspace";

/** One batch; subscription and workspace are inserted only if the user was. */
export async function insertUser(db: Db, user: UserInsert): Promise<"created" | "email_taken" | "not_first"> {
  const [inserted, , , sameEmail] = await db.d1.batch<{ id: string }>([
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
      .bind(user.userId, user.workspaceId, FIRST_WORKSPACE_NAME, user.createdAt),
    db.d1.prepare("SELECT id FROM users WHERE email = ?1").bind(user.email),
  ]);
  if (inserted?.results.length === 1) {
    return "created";
  }
  return sameEmail?.results.length === 1 ? "email_taken" : "not_first";
}

/** After ten wrong passwords an account accepts one attempt per minute, whatever the client address. */
const FAILURES_BEFORE_DELAY = 10;
const LOGIN_DELAY_MS = 60_000;

/**
 * Counts the attempt as failed before the password is checked, so that parallel guesses cannot
 * share one allowed attempt. Null for an unknown e-mail and for an attempt that came too early: the caller cannot tell them apart.
 */
export function countLoginAttempt(
  db: Db,
  email: string,
  now: number,
): Promise<{ id: string; password_hash: string | null } | null> {
  return db.d1
    .prepare(
      `UPDATE users SET failed_logins = failed_logins + 1,
         next_login_at = CASE WHEN failed_logins + 1 >= ${FAILURES_BEFORE_DELAY} THEN ?2 + ${LOGIN_DELAY_MS} END
       WHERE email = ?1 AND (next_login_at IS NULL OR next_login_at <= ?2) RETURNING id, password_hash`,
    )
    .bind(email, now)
    .first();
}

/** After a correct password: resets the failure count and replaces an outdated hash. */
export async function clearLoginFailures(db: Db, userId: string, newHash: string | null): Promise<void> {
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

export async function updateTimeZone(db: Db, userId: string, timeZone: string): Promise<void> {
  await db.d1.prepare("UPDATE users SET time_zone = ?2 WHERE id = ?1").bind(userId, timeZone).run();
}

export async function setEmailVerified(db: Db, userId: string, now: number): Promise<void> {
  await db.d1
    .prepare("UPDATE users SET email_verified_at = coalesce(email_verified_at, ?2) WHERE id = ?1")
    .bind(userId, now)
    .run();
}

/** A sign-up is finished once the user can sign in or has proved the address. */
export async function signUpState(db: Db, email: string): Promise<{ id: string; finished: boolean } | null> {
  const row = await db.d1
    .prepare(
      `SELECT id, password_hash IS NOT NULL OR email_verified_at IS NOT NULL
         OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = users.id) AS finished
       FROM users WHERE email = ?1`,
    )
    .bind(email)
    .first<{ id: string; finished: 0 | 1 }>();
  return row === null ? null : { id: row.id, finished: row.finished === 1 };
}

export async function userIdByEmail(db: Db, email: string): Promise<string | null> {
  const row = await db.d1.prepare("SELECT id FROM users WHERE email = ?1").bind(email).first<{ id: string }>();
  return row?.id ?? null;
}

/** Sets the password, ends all other sessions and, if requested, revokes all keys and apps, in one batch. */
export async function replacePassword(
  db: Db,
  change: { userId: string; passwordHash: string; keepSessionHash: string | null; revokeAll: boolean; now: number },
): Promise<void> {
  const { userId, now } = change;
  const statements = [
    db.d1
      .prepare("UPDATE users SET password_hash = ?2, failed_logins = 0, next_login_at = NULL WHERE id = ?1")
      .bind(userId, change.passwordHash),
    db.d1
      .prepare("DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)")
      .bind(userId, change.keepSessionHash),
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
