import type { Services } from "#context.ts";
import { checkPassword, hashPassword } from "./password.ts";
import { startSession } from "./start-session.ts";
import { claimAttempt, settleAttempt } from "./store-users.ts";

/**
 * A session token for the right e-mail and password, null for everything else. An unknown e-mail, a wrong password, a user
 * without one and an attempt that came too soon take the same time and look the same.
 */
export async function signIn(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { email: string; password: string },
): Promise<string | null> {
  const { db, clock, ids } = services;
  const user = await claimAttempt(db, input.email.trim().toLowerCase(), clock.now());
  const check = await checkPassword(input.password, user?.password_hash ?? null);
  if (user === null || !check.matches) {
    return null;
  }
  await settleAttempt(db, user.id, check.outdated ? await hashPassword(ids, input.password) : null);
  return startSession(services, { userId: user.id });
}
