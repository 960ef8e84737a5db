import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import { SESSION_LABEL } from "#auth/sessions/store.ts";
import { clearAllAttemptsStatement } from "#auth/sessions/store-attempts.ts";
import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { firstTotalsStatement } from "#db/first-totals.ts";
import type { UserRole } from "#db/schema.ts";
import { END_FEEDS_SQL, endWebhooksSql } from "./store-access.ts";

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

/**
 * Inserts a user with a subscription and a workspace in one batch, or nothing. The first user of an installation
 * becomes its operator.
 */
export async function insertUser(db: Db, user: UserInsert): Promise<"created" | "email_taken" | "not_first"> {
  const { inserted, sameEmail } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO users (id, email, password_hash, active_workspace_id, time_zone, created_at, role)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, iif(EXISTS (SELECT 1 FROM users), NULL, 'operator') WHERE NOT (?7 AND EXISTS (SELECT 1 FROM users))
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
    subscription: db.d1
      .prepare(
        `INSERT INTO subscriptions (user_id, plan, status, current_period_end, updated_at)
         SELECT id, ?2, ?3, ?4, ?5 FROM users WHERE id = ?1`,
      )
      .bind(user.userId, user.plan, user.status, user.currentPeriodEnd, user.createdAt),
    workspace: db.d1
      .prepare("INSERT INTO workspaces (id, user_id, name, created_at) SELECT ?2, id, ?3, ?4 FROM users WHERE id = ?1")
      .bind(user.userId, user.workspaceId, FIRST_WORKSPACE_NAME, user.createdAt),
    sameEmail: db.d1.prepare("SELECT id FROM users WHERE email = ?1").bind(user.email),
    totals: firstTotalsStatement(db.d1, user.workspaceId, user.createdAt),
  });
  if (inserted.results.length === 1) {
    return "created";
  }
  return sameEmail.results.length === 1 ? "email_taken" : "not_first";
}

export async function countUsers(db: Db): Promise<number> {
  const row = await db.d1.prepare("SELECT count(*) AS n FROM (SELECT 1 FROM users LIMIT 1)").first<{ n: number }>();
  return row?.n ?? 0;
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

/** Finds the sign-up of an e-mail address. It is finished when the user can sign in or has confirmed the address. */
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

export async function findUser(db: Db, userId: string): Promise<{ email: string; timeZone: string } | null> {
  return db.d1
    .prepare("SELECT email, time_zone AS timeZone FROM users WHERE id = ?1")
    .bind(userId)
    .first<{ email: string; timeZone: string }>();
}

/** The ids of the credentials that stay valid after a new password. Null keeps all credentials of the kind. */
export interface KeptCredentials {
  /** The first characters of session hashes, as `SESSION_LABEL` selects them. */
  readonly sessions: readonly string[];
  readonly keys: readonly string[] | null;
  readonly apps: readonly string[] | null;
  readonly passkeys: readonly string[] | null;
  readonly webhooks: readonly string[] | null;
  readonly feeds: readonly string[] | null;
}

export interface PasswordReplacement {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly keep: KeptCredentials;
  readonly now: number;
}

/**
 * Sets a password and ends every credential that is not kept, in one batch. A credential that was added after the page
 * listed them ends too.
 */
export async function replacePassword(db: Db, change: PasswordReplacement): Promise<void> {
  const { userId, keep, now } = change;
  const exceptKept = (column: string, kept: readonly string[] | null, sql: string, ...more: unknown[]) =>
    kept === null
      ? []
      : [
          db.d1
            .prepare(`${sql} AND ${column} NOT IN (SELECT value FROM json_each(?2))`)
            .bind(userId, JSON.stringify(kept), ...more),
        ];
  await db.d1.batch([
    db.d1.prepare("UPDATE users SET password_hash = ?2 WHERE id = ?1").bind(userId, change.passwordHash),
    await clearAllAttemptsStatement(db, change.email),
    // Delete the challenge of an open passkey registration too, because it could add a passkey after the reset.
    db.d1
      .prepare("DELETE FROM login_tokens WHERE user_id = ?1 AND purpose IN ('reset_password', 'passkey_registration')")
      .bind(userId),
    ...exceptKept(SESSION_LABEL, keep.sessions, "DELETE FROM sessions WHERE user_id = ?1"),
    ...exceptKept("id", keep.passkeys, "DELETE FROM passkeys WHERE user_id = ?1"),
    ...exceptKept("id", keep.webhooks, endWebhooksSql("?3"), now),
    // mutant: feed-outlives-password
    ...exceptKept("hash", keep.feeds, END_FEEDS_SQL),
    ...exceptKept(
      "id",
      keep.keys,
      "UPDATE api_keys SET revoked_at = ?3 WHERE user_id = ?1 AND revoked_at IS NULL",
      now,
    ),
    ...exceptKept(
      "id",
      keep.apps,
      "UPDATE oauth_grants SET revoked_at = ?3 WHERE user_id = ?1 AND revoked_at IS NULL",
      now,
    ),
  ]);
}

export interface UserRow {
  readonly userId: string;
  readonly email: string;
  readonly createdAt: number;
  readonly plan: Plan | null;
  readonly status: SubscriptionStatus | null;
  readonly currentPeriodEnd: number | null;
  readonly role: UserRole | null;
  readonly disabledAt: number | null;
}

export async function selectUsers(db: Db): Promise<UserRow[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT u.id AS userId, u.email AS email, u.created_at AS createdAt, s.plan AS plan, s.status AS status, s.current_period_end AS currentPeriodEnd,
         u.role AS role, u.disabled_at AS disabledAt
       FROM users u LEFT JOIN subscriptions s ON s.user_id = u.id ORDER BY u.id`,
    )
    .all<UserRow>();
  return results;
}
