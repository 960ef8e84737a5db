import type { Services } from "#context.ts";
import { checkPassword, hashPassword } from "#auth/users/password-hash.ts";
import { passwordQueue, PasswordQueueFullError } from "#auth/users/password-queue.ts";
import { updatePasswordHash } from "#auth/users/store.ts";
import { startSession } from "./start.ts";
import { clearAttemptsStatement, countSignInAttempt } from "./store-attempts.ts";

/**
 * Returns a session token for a correct e-mail and password, null for everything else. An unknown e-mail, a wrong password and a user
 * without a password take the same time. An attempt that comes too early also returns null but computes no hash, for known and unknown
 * addresses alike.
 */
export async function signIn(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { email: string; password: string },
): Promise<string | null> {
  const { db, clock } = services;
  const email = input.email.trim().toLowerCase();
  passwordQueue.assertNotFull();
  const { allowed, user } = await countSignInAttempt(db, { email, now: clock.now() });
  if (!allowed) {
    return null;
  }
  const check = await checkPassword(input.password, user?.password_hash ?? null);
  if (user === null || !check.matches) {
    return null;
  }
  await (await clearAttemptsStatement(db, email)).run();
  if (check.outdated) {
    await replaceOutdatedHash(services, { userId: user.id, password: input.password });
  }
  return startSession(services, { userId: user.id });
}

async function replaceOutdatedHash(
  { db, ids }: Pick<Services, "db" | "ids">,
  user: { userId: string; password: string },
): Promise<void> {
  try {
    await updatePasswordHash(db, user.userId, await hashPassword(ids, user.password));
  } catch (error) {
    // The password was correct, so this sign-in succeeds; the next one can replace the hash.
    if (!(error instanceof PasswordQueueFullError)) {
      throw error;
    }
  }
}
