import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import type { Mailer } from "./mailer.ts";
import { issueLoginToken, spendLoginToken } from "./store-login-tokens.ts";
import { setEmailVerified } from "./store-users.ts";

const VERIFY_MS = DAY;

/** Sends the link that proves the address. */
export async function sendVerification(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  mailer: Mailer,
  user: { userId: string; email: string },
): Promise<void> {
  const token = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "verify_email",
    lifetimeMs: VERIFY_MS,
  });
  await mailer.send({
    to: user.email,
    subject: "Confirm your e-mail for Almanac",
    text: `Confirm this address within a day:\n${services.config.authUrl}/verify-email?token=${token}\n\nIf you did not make an Almanac account, ignore this letter.`,
  });
}

/** False for a link that is unknown, used or expired. */
export async function verifyEmail(
  services: Pick<Services, "db" | "clock">,
  input: { token: string },
): Promise<boolean> {
  const spent = await spendLoginToken(services, { token: input.token, purpose: "verify_email" });
  if (spent === null) {
    return false;
  }
  await setEmailVerified(services.db, spent.userId, services.clock.now());
  return true;
}
