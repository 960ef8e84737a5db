import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import type { Mailer } from "#core/mailer.ts";
import { countAccountMail } from "#auth/store-account-mails.ts";
import { issueLoginToken, consumeLoginToken } from "#auth/store-login-tokens.ts";
import { setEmailVerified } from "./store.ts";

const VERIFICATION_LIFETIME_MS = DAY;

/**
 * Sends the link with which a user confirms the e-mail address. Sends nothing to an address that got too many mails.
 */
export async function sendVerification(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  mailer: Mailer,
  user: { userId: string; email: string },
): Promise<void> {
  if (!(await countAccountMail(services, { email: user.email, kind: "link" }))) {
    return;
  }
  const token = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "verify_email",
    lifetimeMs: VERIFICATION_LIFETIME_MS,
  });
  await mailer.send({
    to: user.email,
    subject: "Confirm your e-mail for Almanac",
    text: `Confirm this e-mail address within a day:\n${services.config.authUrl}/verify-email?token=${token}\n\nIf you did not create an Almanac account, ignore this e-mail.`,
  });
}

/** Confirms an e-mail address by its link. False for an unknown, used or expired link. */
export async function verifyEmail(
  services: Pick<Services, "db" | "clock">,
  input: { token: string },
): Promise<boolean> {
  const verificationToken = await consumeLoginToken(services, { token: input.token, purpose: "verify_email" });
  if (verificationToken === null) {
    return false;
  }
  await setEmailVerified(services.db, verificationToken.userId, services.clock.now());
  return true;
}
