import { MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { type ApiKey, selectKeys } from "#auth/keys/store.ts";
import { type ConnectedApp, selectApps } from "#auth/oauth/store.ts";
import { type Passkey, selectPasskeys } from "#auth/passkeys/store.ts";
import { type ActiveSession, selectActiveSessions } from "#auth/sessions/store.ts";
import { parseEmail, parsePassword } from "#auth/parse-inputs.ts";
import { countAccountMail } from "#auth/store-account-mails.ts";
import type { Mailer } from "#core/mailer.ts";
import { hashPassword } from "#auth/passwords/password-hash.ts";
import { consumeLoginToken, issueLoginToken, peekLoginToken } from "#auth/store-login-tokens.ts";
import { type FeedOfUser, selectOutlets, type WebhookOfUser } from "./store-outlets.ts";
import { findUser, type KeptCredentials, replacePassword, setEmailVerified, userIdByEmail } from "./store.ts";

const RESET_LIFETIME_MS = 30 * MINUTE;

/**
 * Sends a link to reset the password if the user exists. The response is the same if not, or if the address got too
 * many mails. The mail is sent after the response, so that its duration reveals nothing.
 */
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
  if (!(await countAccountMail(services, { email: user.email, kind: "link" }))) {
    return;
  }
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

/**
 * Everything besides the password that gives access to the user's account or posts. A reset ends each item unless the
 * user keeps it.
 */
export interface AccountAccess {
  readonly email: string;
  readonly timeZone: string;
  readonly sessions: readonly ActiveSession[];
  readonly keys: readonly ApiKey[];
  readonly apps: readonly ConnectedApp[];
  readonly passkeys: readonly Passkey[];
  readonly webhooks: readonly WebhookOfUser[];
  readonly feeds: readonly FeedOfUser[];
}

function refuseLink(): never {
  return refuse({
    code: "invalid_request",
    message: "this link has expired or was already used: request a new one",
    param: "token",
  });
}

/**
 * Returns what a password reset with this link would end, without using up the link. Refuses a link that cannot be
 * used.
 */
export async function previewPasswordReset(
  services: Pick<Services, "db" | "clock">,
  input: { token: string },
): Promise<AccountAccess> {
  const { db, clock } = services;
  const now = clock.now();
  const { userId } =
    (await peekLoginToken(services, { token: input.token, purpose: "reset_password" })) ?? refuseLink();
  const user = (await findUser(db, userId)) ?? refuseLink();
  const [sessions, keys, apps, passkeys, outlets] = await Promise.all([
    selectActiveSessions(db, userId, now),
    selectKeys(db, userId),
    selectApps(db, userId, now),
    selectPasskeys(db, userId),
    selectOutlets(db, userId),
  ]);
  return {
    ...user,
    sessions,
    keys: keys.filter((key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)),
    apps,
    passkeys,
    ...outlets,
  };
}

/**
 * Sets the password of the user who got the link, and marks the e-mail address as verified. Ends the user's sessions,
 * keys, connected apps, passkeys, webhooks and calendar feeds, except those in `keep`. Ids of other users have no
 * effect.
 */
export async function resetPassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { token: string; password: string; keep: { [Kind in keyof KeptCredentials]: readonly string[] } },
): Promise<{ readonly email: string }> {
  const { db, clock, ids } = services;
  const link = { token: input.token, purpose: "reset_password" } as const;
  // Validate and hash the password before the link is used up, so that an invalid password or a full queue does not
  // cost the link. For an invalid link no hash is computed.
  const password = parsePassword(input.password, "new_password");
  if ((await peekLoginToken(services, link)) === null) {
    refuseLink();
  }
  const passwordHash = await hashPassword(ids, password);
  const { userId } = (await consumeLoginToken(services, link)) ?? refuseLink();
  const { email } = (await findUser(db, userId)) ?? refuseLink();
  const now = clock.now();
  await replacePassword(db, { userId, email, passwordHash, keep: input.keep, now });
  await setEmailVerified(db, userId, now);
  return { email };
}
