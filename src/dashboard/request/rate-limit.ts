import { countOfAddress } from "#wire/rate-limit.ts";
import type { PageContext } from "./env.ts";

/**
 * Whether this IP address may make another request of this kind. Requests without a session are limited per address.
 */
export function withinRateLimit(c: PageContext, purpose: string): Promise<boolean> {
  return countOfAddress(c.env, c.req.raw.headers, purpose);
}

/**
 * Whether the signed-in user may make another request of this kind: 240 a minute, more than typing can cause. These
 * requests only read, so they are counted without a database write and apart from API calls.
 */
export async function withinUserRateLimit(c: PageContext, purpose: string): Promise<boolean> {
  const { success } = await c.env.LIMIT_USER_STARTER.limit({ key: `${purpose}:${c.var.signedIn.actor.userId}` });
  return success;
}
