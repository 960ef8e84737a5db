import type { Services } from "#context.ts";
import { checkPassword, hashPassword } from "#auth/passwords/password-hash.ts";
import { passwordQueue, PasswordQueueFullError } from "#auth/passwords/password-queue.ts";
import { updatePasswordHash } from "#auth/passwords/store.ts";
import type { SignInClient } from "./sign-in-client.ts";
import { startSession } from "./start.ts";
import { clearAttemptsStatement, countSignInAttempt } from "./store-attempts.ts";

/**
 * Returns a session token for a correct e-mail and password, null for everything else. An unknown e-mail, a wrong
 * password and a user without a password take the same time. An attempt too soon after failures also gets null, without
 * a hash, for known and unknown addresses alike. One client's attempts never delay another client.
 */
export async function signIn(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { email: string; password: string; client: SignInClient },
): Promise<string | null> {
  const { db, clock } = services;
  const { client } = input;
  const email = input.email.trim().toLowerCase();
  passwordQueue.assertNotFull(client);
  const { allowed, user } = await countSignInAttempt(db, { email, client, now: clock.now() });
  if (!allowed) {
    return null;
  }
  const check = await checkPassword(input.password, user?.password_hash ?? null, client);
  if (user === null || !check.matches) {
    return null;
  }
  await (await clearAttemptsStatement(db, { email, client })).run();
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
    // The password was correct, so a full queue must not fail the sign-in. The next sign-in can replace the hash.
    if (!(error instanceof PasswordQueueFullError)) {
      throw error;
    }
  }
}
