import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { hashSecret, mintSecret } from "./secret-format.ts";
import { insertSession } from "./store-sessions.ts";

const SESSION_DAYS = 30;
export const SESSION_SECONDS = (SESSION_DAYS * DAY) / 1000;

/** A fresh session; every way in makes a new one, so that a planted token is worth nothing. */
export async function startSession(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { userId: string },
): Promise<string> {
  const { db, clock, ids } = services;
  const now = clock.now();
  const token = mintSecret(ids, "session");
  await insertSession(db, {
    hash: await hashSecret(token),
    userId: input.userId,
    createdAt: now,
    expiresAt: now + SESSION_DAYS * DAY,
  });
  return token;
}
