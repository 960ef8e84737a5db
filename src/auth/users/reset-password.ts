import { MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseEmail, parsePassword } from "#auth/parse-inputs.ts";
import type { Mailer } from "#auth/mailer.ts";
import { hashPassword } from "./password-hash.ts";
import { issueLoginToken, consumeLoginToken } from "#auth/login-tokens.ts";
import { replacePassword, setEmailVerified, userIdByEmail } from "./store.ts";

const RESET_LIFETIME_MS = 30 * MINUTE;

/** Sends a reset link if the user exists; the response is the same if not, and the e-mail is sent after the response. */
export async function requestPasswordReset(
  services: Pick<Services, "db" | "clock" | "ids" | "config" | "defer">,
  mailer: Mailer,
  input: { email: string },
): Promise<void> {
  const email = parseEmail(input.email);
  const userId = await userIdByEmail(services.db, email);
  if (userId !== null) {
    services.defer(sendResetLink(services, mailer, { userId, email }));
  }
}

async function sendResetLink(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  mailer: Mailer,
  user: { userId: string; email: string },
): Promise<void> {
  const token = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "reset_password",
    lifetimeMs: RESET_LIFETIME_MS,
  });
  await mailer.send({
    to: user.email,
    subject: "Set a new Almanac password",
    text: `A new password was requested for your Almanac account.\n\nSet it within 30 minutes:\n${services.config.authUrl}/password/reset?token=${token}\n\nIf you did not request this, ignore this e-mail: your password has not changed.`,
  });
}

/** Sets the password of the user the link was sent to, ends every session, and marks the e-mail as verified. */
export async function resetPassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { token: string; password: string },
): Promise<void> {
  const { db, clock, ids } = services;
  // Validated first, so that an invalid password does not consume the link.
  const password = parsePassword(input.password, "new_password");
  const resetToken = await consumeLoginToken(services, { token: input.token, purpose: "reset_password" });
  if (resetToken === null) {
    return refuse({
      code: "invalid_request",
      message: "this link has expired or was already used: request a new one",
      param: "token",
    });
  }
  const now = clock.now();
  const passwordHash = await hashPassword(ids, password);
  await replacePassword(db, { userId: resetToken.userId, passwordHash, keepSessionHash: null, revokeAll: false, now });
  await setEmailVerified(db, resetToken.userId, now);
}
