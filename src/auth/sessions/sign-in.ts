import type { Services } from "#context.ts";
import { checkPassword, hashPassword } from "#auth/users/password-hash.ts";
import { startSession } from "./start.ts";
import { countLoginAttempt, clearLoginFailures } from "#auth/users/store.ts";

/**
 * A session token for a correct e-mail and password, null for everything else. An unknown e-mail, a wrong password, a user
 * without a password and an attempt that came too early take the same time and return the same.
 */
export async function signIn(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { email: string; password: string },
): Promise<string | null> {
  const { db, clock, ids } = services;
  const user = await countLoginAttempt(db, input.email.trim().toLowerCase(), clock.now());
  const check = await checkPassword(input.password, user?.password_hash ?? null);
  if (user === null || !check.matches) {
    return null;
  }
  await clearLoginFailures(db, user.id, check.outdated ? await hashPassword(ids, input.password) : null);
  return startSession(services, { userId: user.id });
}
