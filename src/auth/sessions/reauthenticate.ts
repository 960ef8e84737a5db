import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { checkPassword } from "#auth/passwords/password-hash.ts";
import { passwordQueue } from "#auth/passwords/password-queue.ts";
import type { SignedInUser } from "./resolve.ts";
import { recordAuthenticationStatement } from "./store.ts";
import { clearAttemptsStatement, countSignInAttempt } from "./store-attempts.ts";

/** The name of the form field in which a page asks for the password again. */
export const CURRENT_PASSWORD = "current_password";

type Session = Pick<SignedInUser, "actor" | "email" | "recentlyAuthenticated">;

/**
 * Requires the password, unless the session has a recent authentication. A correct password makes the session recent
 * again.
 */
export async function requireRecentAuthentication(
  services: Pick<Services, "db" | "clock">,
  session: Session,
  input: { password: string },
): Promise<void> {
  if (session.recentlyAuthenticated) {
    return;
  }
  if (input.password === "") {
    refuse({
      code: "invalid_request",
      message: "you signed in more than 10 minutes ago: confirm that it is you",
      param: CURRENT_PASSWORD,
    });
  }
  await confirmPassword(services, session, input);
}

/** Checks the password of a signed-in user. A wrong password counts as a failed sign-in of this session. */
export async function confirmPassword(
  services: Pick<Services, "db" | "clock">,
  session: Pick<Session, "actor" | "email">,
  input: { password: string },
): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const { email } = session;
  const { userId, credential } = session.actor;
  const client = { id: `session:${credential.id}`, isKnown: true };
  passwordQueue.assertNotFull(client);
  const { allowed, user } = await countSignInAttempt(db, { email, client, now });
  if (!allowed) {
    refuse({
      code: "rate_limited",
      message: "too many wrong passwords: wait a minute, then try again",
      param: CURRENT_PASSWORD,
    });
  }
  if (!(await checkPassword(input.password, user?.password_hash ?? null, client)).matches) {
    refuse({ code: "invalid_request", message: "the current password is wrong", param: CURRENT_PASSWORD });
  }
  await db.d1.batch([
    await clearAttemptsStatement(db, { email, client }),
    recordAuthenticationStatement(db, { hash: credential.id, userId, now }),
  ]);
}
