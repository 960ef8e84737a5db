import { deleteOldAttemptsStatement } from "#auth/sessions/store-attempts.ts";
import { deleteOldMailsStatement } from "#auth/store-account-mails.ts";
import type { Db } from "#db/client.ts";

/** SQL for at most ?2 grants whose tokens have all expired at ?1. It does not match grants without a token. */
const IS_LAPSED = `id IN (SELECT grant_id FROM oauth_tokens WHERE expires_at <= ?1 LIMIT ?2)
  AND NOT EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.grant_id = oauth_grants.id AND t.expires_at > ?1)`;

/* Tokens stay for a day after they expire, so that the reuse of a rotated token is detected. A client is deleted
   when no grant refers to it. */
export function deleteExpiredStatements(
  db: Db,
  cutoff: { now: number; oneDayAgo: number; limit: number },
): D1PreparedStatement[] {
  const { now, oneDayAgo, limit } = cutoff;
  const deleteStatement = (sql: string, before: number) => db.d1.prepare(sql).bind(before, limit);
  return [
    deleteStatement(
      "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= ?1 LIMIT ?2)",
      now,
    ),
    deleteStatement(
      "DELETE FROM login_tokens WHERE hash IN (SELECT hash FROM login_tokens WHERE expires_at <= ?1 LIMIT ?2)",
      now,
    ),
    deleteOldAttemptsStatement(db, { now, limit }),
    deleteOldMailsStatement(db, { now, limit }),
    // Deletes a grant together with its last token; tokens deleted in this batch no longer count. Revoking the grant
    // first fires a trigger that ends the webhooks of its app.
    db.d1
      .prepare(`UPDATE oauth_grants SET revoked_at = ?3 WHERE revoked_at IS NULL AND ${IS_LAPSED}`)
      .bind(oneDayAgo, limit, now),
    deleteStatement(`DELETE FROM oauth_grants WHERE ${IS_LAPSED}`, oneDayAgo),
    deleteStatement(
      "DELETE FROM oauth_tokens WHERE hash IN (SELECT hash FROM oauth_tokens WHERE expires_at <= ?1 LIMIT ?2)",
      oneDayAgo,
    ),
    deleteStatement(
      `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants
         WHERE (code_used_at IS NULL OR revoked_at IS NOT NULL) AND created_at <= ?1 AND (revoked_at IS NULL OR revoked_at <= ?1) LIMIT ?2)`,
      oneDayAgo,
    ),
    deleteStatement(
      `DELETE FROM oauth_clients WHERE id IN (SELECT c.id FROM oauth_clients c WHERE c.expires_at IS NOT NULL AND c.expires_at <= ?1
         AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id) LIMIT ?2)`,
      now,
    ),
  ];
}
