import type { Db } from "#db/client.ts";

/**
 * Takes the right to mail a user about approvals until `until`, and returns the address. Null if a mail was sent
 * already, or if the address is not verified.
 */
export async function claimApprovalMail(
  db: Db,
  claim: { readonly userId: string; readonly hash: string; readonly now: number; readonly until: number },
): Promise<string | null> {
  return await db.d1
    .prepare(
      `INSERT INTO login_tokens (hash, user_id, purpose, expires_at)
       SELECT ?1, u.id, 'approval_mail_sent', ?4 FROM users u WHERE u.id = ?2 AND u.email_verified_at IS NOT NULL
       ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE login_tokens.expires_at <= ?3
       RETURNING (SELECT u.email FROM users u WHERE u.id = user_id) AS email`,
    )
    .bind(claim.hash, claim.userId, claim.now, claim.until)
    .first<string>("email");
}
