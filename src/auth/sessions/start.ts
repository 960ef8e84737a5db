import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { hashSecret, generateSecret } from "#auth/secrets.ts";
import { insertSession } from "./store.ts";

const SESSION_DAYS = 30;
export const SESSION_SECONDS = (SESSION_DAYS * DAY) / 1000;

/**
 * Starts a session. Every sign-in creates a new token, so that nobody can prepare a session for somebody else (session
 * fixation).
 */
export async function startSession(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { userId: string },
): Promise<string> {
  const { db, clock, ids } = services;
  const now = clock.now();
  const token = generateSecret(ids, "session");
  await insertSession(db, {
    hash: await hashSecret(token),
    userId: input.userId,
    createdAt: now,
    expiresAt: now + SESSION_DAYS * DAY,
    authenticatedAt: now,
  });
  return token;
}
