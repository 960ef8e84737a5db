import type { Db } from "#db/client.ts";

/*
 * Tokens stay a day after their end, because reuse of a spent one is worth noticing; clients go when nothing names them.
 */
export function sweepStatements(db: Db, at: { now: number; aDayAgo: number; limit: number }): D1PreparedStatement[] {
  const { now, aDayAgo, limit } = at;
  const sweep = (sql: string, before: number) => db.d1.prepare(sql).bind(before, limit);
  return [
    sweep("DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= ?1 LIMIT ?2)", now),
    sweep(
      "DELETE FROM login_tokens WHERE hash IN (SELECT hash FROM login_tokens WHERE expires_at <= ?1 LIMIT ?2)",
      now,
    ),
    // A grant goes with the last of its tokens; the ones about to go do not count.
    sweep(
      `DELETE FROM oauth_grants WHERE id IN (SELECT grant_id FROM oauth_tokens WHERE expires_at <= ?1 LIMIT ?2)
         AND NOT EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.grant_id = oauth_grants.id AND t.expires_at > ?1)`,
      aDayAgo,
    ),
    sweep(
      "DELETE FROM oauth_tokens WHERE hash IN (SELECT hash FROM oauth_tokens WHERE expires_at <= ?1 LIMIT ?2)",
      aDayAgo,
    ),
    sweep(
      `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants
         WHERE (code_used_at IS NULL OR revoked_at IS NOT NULL) AND created_at <= ?1 AND (revoked_at IS NULL OR revoked_at <= ?1) LIMIT ?2)`,
      aDayAgo,
    ),
    sweep(
      `DELETE FROM oauth_clients WHERE id IN (SELECT c.id FROM oauth_clients c WHERE c.expires_at IS NOT NULL AND c.expires_at <= ?1
         AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id) LIMIT ?2)`,
      now,
    ),
  ];
}
