import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { SignInClient } from "./sign-in-client.ts";

/**
 * After this many wrong passwords for an e-mail address, a client must wait: one minute, then twice as long each time,
 * at most an hour.
 */
const FAILURES_BEFORE_DELAY = 10;
const MAX_DELAY_MINUTES = HOUR / MINUTE;
/** How long (ms) rows with few failures stay. It is short, because strangers can create many of them. */
const FEW_FAILURES_RETENTION_MS = HOUR;
const FAILURES_RETENTION_MS = DAY;

export interface CountedAttempt {
  /** False for an attempt that came too soon. The caller must then not check the password. */
  readonly allowed: boolean;
  readonly user: { readonly id: string; readonly password_hash: string | null } | null;
}

interface AttemptKey {
  readonly email: string;
  readonly client: SignInClient;
}

// mutant: failures-of-all-clients
const clientHashOf = ({ id }: SignInClient) => sha256Hex(id);

/**
 * Counts a sign-in as failed before the password is checked, so that parallel guesses cannot share one allowed attempt.
 * Addresses without a user count too, so that they behave like known ones.
 */
export async function countSignInAttempt(
  db: Db,
  { email, client, now }: AttemptKey & { readonly now: number },
): Promise<CountedAttempt> {
  const { counted, users } = await batch(db, {
    counted: db.d1
      .prepare(
        `INSERT INTO sign_in_attempts (email_hash, client_hash, failures, updated_at) VALUES (?1, ?2, 1, ?3)
         ON CONFLICT (email_hash, client_hash) DO UPDATE SET failures = failures + 1, updated_at = ?3,
           next_attempt_at = CASE WHEN failures + 1 >= ${FAILURES_BEFORE_DELAY}
             THEN ?3 + ${MINUTE} * min(${MAX_DELAY_MINUTES}, 1 << min(failures + 1 - ${FAILURES_BEFORE_DELAY}, 10)) END
         WHERE next_attempt_at IS NULL OR next_attempt_at <= ?3 RETURNING email_hash`,
      )
      .bind(await sha256Hex(email), await clientHashOf(client), now),
    users: withRows<{ id: string; password_hash: string | null }>(
      db.d1.prepare("SELECT id, password_hash FROM users WHERE email = ?1 AND disabled_at IS NULL").bind(email),
    ),
  });
  return { allowed: counted.results.length === 1, user: users.results[0] ?? null };
}

/** A statement that forgets one client's failed sign-ins, after a correct password. */
export async function clearAttemptsStatement(db: Db, { email, client }: AttemptKey): Promise<D1PreparedStatement> {
  return db.d1
    .prepare("DELETE FROM sign_in_attempts WHERE email_hash = ?1 AND client_hash = ?2")
    .bind(await sha256Hex(email), await clientHashOf(client));
}

/**
 * A statement that forgets the failed sign-ins of all clients for an e-mail address. It runs in the batch that sets a
 * new password.
 */
export async function clearAllAttemptsStatement(db: Db, email: string): Promise<D1PreparedStatement> {
  return db.d1.prepare("DELETE FROM sign_in_attempts WHERE email_hash = ?1").bind(await sha256Hex(email));
}

/** A statement that deletes failed sign-ins after their retention. */
export function deleteOldAttemptsStatement(
  db: Db,
  { now, limit }: { now: number; limit: number },
): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM sign_in_attempts WHERE (email_hash, client_hash) IN (SELECT email_hash, client_hash FROM sign_in_attempts
         WHERE updated_at <= ?1 AND (updated_at <= ?2 OR failures < ${FAILURES_BEFORE_DELAY}) LIMIT ?3)`,
    )
    .bind(now - FEW_FAILURES_RETENTION_MS, now - FAILURES_RETENTION_MS, limit);
}
