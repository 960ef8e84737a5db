import { DAY, HOUR } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import type { Db } from "#db/client.ts";

/** How many mails an address may have got already, counting all kinds, before a mail of this kind is refused. */
const LIMITS = {
  link: { perHour: 5, perDay: 20 },
  // Low, so that strangers who sign up with somebody's address leave room for that person's password reset.
  notice: { perHour: 2, perDay: 8 },
} as const;

/**
 * Counts a mail to an address before it is sent, whoever causes it. False if the address got too many: the caller sends
 * nothing and answers as usual.
 */
export async function countAccountMail(
  { db, clock }: Pick<Services, "db" | "clock">,
  { email, kind }: { readonly email: string; readonly kind: keyof typeof LIMITS },
): Promise<boolean> {
  const now = clock.now();
  // mutant: unlimited-mails
  const { perHour, perDay } = LIMITS[kind];
  const counted = await db.d1
    .prepare(
      `INSERT INTO account_mails (email_hash, at)
       SELECT ?1, max(?2, coalesce((SELECT max(at) FROM account_mails WHERE email_hash = ?1), 0) + 1)
       WHERE (SELECT count(*) FROM account_mails WHERE email_hash = ?1 AND at > ?2 - ${HOUR}) < ?3
         AND (SELECT count(*) FROM account_mails WHERE email_hash = ?1 AND at > ?2 - ${DAY}) < ?4 RETURNING at`,
    )
    .bind(await sha256Hex(email), now, perHour, perDay)
    .first();
  return counted !== null;
}

export function deleteOldMailsStatement(db: Db, { now, limit }: { now: number; limit: number }): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM account_mails WHERE (email_hash, at) IN (SELECT email_hash, at FROM account_mails WHERE at <= ?1 LIMIT ?2)`,
    )
    .bind(now - DAY, limit);
}
