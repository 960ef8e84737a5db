import { MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseEmail, parsePassword } from "./inputs.ts";
import type { Mailer } from "./mailer.ts";
import { hashPassword } from "./password.ts";
import { issueLoginToken, spendLoginToken } from "./store-login-tokens.ts";
import { replacePassword, setEmailVerified, userIdByEmail } from "./store-users.ts";

const RESET_MS = 30 * MINUTE;

/** Sends a reset link when there is such a user; answers the same when there is not, and the letter goes out afterwards. */
export async function requestPasswordReset(
  services: Pick<Services, "db" | "clock" | "ids" | "config" | "defer">,
  mailer: Mailer,
  input: { email: string },
): Promise<void> {
  const email = parseEmail(input.email);
  const userId = await userIdByEmail(services.db, email);
  if (userId !== null) {
    services.defer(sendReset(services, mailer, { userId, email }));
  }
}

async function sendReset(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  mailer: Mailer,
  user: { userId: string; email: string },
): Promise<void> {
  const token = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "reset_password",
    lifetimeMs: RESET_MS,
  });
  await mailer.send({
    to: user.email,
    subject: "Set a new Almanac password",
    text: `Somebody, hopefully you, asked for a new password.\n\nSet it here within 30 minutes:\n${services.config.authUrl}/password/reset?token=${token}\n\nIf it was not you, nothing has changed and you need not do anything.`,
  });
}

/** Sets the password of the user the link was sent to, ends every session, and counts the e-mail as verified. */
export async function resetPassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { token: string; password: string },
): Promise<void> {
  const { db, clock, ids } = services;
  // Checked first, so that a password too short does not use up the link.
  const password = parsePassword(input.password, "new_password");
  const spent = await spendLoginToken(services, { token: input.token, purpose: "reset_password" });
  if (spent === null) {
    return refuse({
      code: "invalid_request",
      message: "this link has expired or was used: ask for a new one",
      param: "token",
    });
  }
  const now = clock.now();
  const passwordHash = await hashPassword(ids, password);
  await replacePassword(db, { userId: spent.userId, passwordHash, keptSession: null, revokeAll: false, now });
  await setEmailVerified(db, spent.userId, now);
}
