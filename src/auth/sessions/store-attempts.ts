import { MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Db } from "#db/client.ts";

/** After ten wrong passwords, an e-mail address accepts only one attempt per minute, from all IP addresses together. */
const FAILURES_BEFORE_DELAY = 10;
const ATTEMPT_DELAY_MS = MINUTE;

export interface CountedAttempt {
  /** False for an attempt that came too early. The caller must then not check the password. */
  readonly allowed: boolean;
  readonly user: { readonly id: string; readonly password_hash: string | null } | null;
}

/**
 * Counts the attempt as failed before the password is checked, so that parallel guesses cannot share one allowed attempt. It counts
 * addresses without a user too, so that known and unknown addresses behave alike.
 */
export async function countSignInAttempt(db: Db, input: { email: string; now: number }): Promise<CountedAttempt> {
  const [counted, users] = await db.d1.batch<{ id: string; password_hash: string | null }>([
    db.d1
      .prepare(
        `INSERT INTO sign_in_attempts (email_hash, failures, updated_at) VALUES (?1, 1, ?2)
         ON CONFLICT (email_hash) DO UPDATE SET failures = failures + 1, updated_at = ?2,
           next_attempt_at = CASE WHEN failures + 1 >= ${FAILURES_BEFORE_DELAY} THEN ?2 + ${ATTEMPT_DELAY_MS} END
         WHERE next_attempt_at IS NULL OR next_attempt_at <= ?2 RETURNING email_hash`,
      )
      .bind(await sha256Hex(input.email), input.now),
    db.d1.prepare("SELECT id, password_hash FROM users WHERE email = ?1 AND disabled_at IS NULL").bind(input.email),
  ]);
  return { allowed: counted?.results.length === 1, user: users?.results[0] ?? null };
}

/** Clears the failed attempts; runs in a batch after a correct password. */
export async function clearAttemptsStatement(db: Db, email: string): Promise<D1PreparedStatement> {
  return db.d1.prepare("DELETE FROM sign_in_attempts WHERE email_hash = ?1").bind(await sha256Hex(email));
}
