import { toBase64Url } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import { loginTokens } from "#db/schema.ts";
import { hashSecret } from "./secrets.ts";

type LoginTokenPurpose = (typeof loginTokens.$inferInsert)["purpose"];

/** Makes a single-use token of 256 random bits and stores only its hash. `userId` is empty if the user is not known yet. */
export async function issueLoginToken(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { userId: string; purpose: LoginTokenPurpose; lifetimeMs: number },
): Promise<string> {
  const token = toBase64Url(services.ids.random(32));
  await services.db.orm.insert(loginTokens).values({
    hash: await hashSecret(token),
    userId: input.userId,
    purpose: input.purpose,
    expiresAt: services.clock.now() + input.lifetimeMs,
  });
  return token;
}

/**
 * Finds and deletes a single-use token in one statement, so that it works only once. Null for an unknown, used or
 * expired token.
 */
export async function consumeLoginToken(
  services: Pick<Services, "db" | "clock">,
  input: { token: string; purpose: LoginTokenPurpose },
): Promise<{ userId: string } | null> {
  return services.db.d1
    .prepare(
      "DELETE FROM login_tokens WHERE hash = ?1 AND purpose = ?2 AND expires_at > ?3 RETURNING user_id AS userId",
    )
    .bind(await hashSecret(input.token), input.purpose, services.clock.now())
    .first<{ userId: string }>();
}

/** Finds the user of a single-use token without using it up, because a page may be opened more than once. */
export async function peekLoginToken(
  services: Pick<Services, "db" | "clock">,
  input: { token: string; purpose: LoginTokenPurpose },
): Promise<{ userId: string } | null> {
  return services.db.d1
    .prepare("SELECT user_id AS userId FROM login_tokens WHERE hash = ?1 AND purpose = ?2 AND expires_at > ?3")
    .bind(await hashSecret(input.token), input.purpose, services.clock.now())
    .first<{ userId: string }>();
}
