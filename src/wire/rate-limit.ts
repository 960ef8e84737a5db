import type { Actor } from "#core/actor.ts";
import { sha256Hex } from "#core/encoding.ts";
import { clientAddress } from "#core/public-address/client-address.ts";
import type { Plan } from "#core/plan.ts";
import type { Env } from "#config.ts";

const LIMITER_BINDING = {
  starter: "LIMIT_STARTER",
  growth: "LIMIT_GROWTH",
  scale: "LIMIT_SCALE",
} as const satisfies Record<Plan, keyof Env>;

/**
 * By plan: the limiter for all credentials of a user together. Without it, every further key would multiply the limit.
 */
const USER_LIMITER_BINDING = {
  starter: "LIMIT_USER_STARTER",
  growth: "LIMIT_USER_GROWTH",
  scale: "LIMIT_USER_SCALE",
} as const satisfies Record<Plan, keyof Env>;

export const WINDOW_SECONDS = 60;

/** The header `RateLimit-Policy`: the limit of the credential, then that of all credentials of its user. */
export function rateLimitPolicy({ plan, limits }: Pick<Actor, "plan" | "limits">): string {
  return `"${plan}";q=${limits.requestsPerMinute};w=${WINDOW_SECONDS}, "${plan}-user";q=${limits.userRequestsPerMinute};w=${WINDOW_SECONDS}`;
}

/** The limit that a request exceeds, in the words of the refusal. */
export interface ExceededLimit {
  readonly policy: string;
  readonly message: string;
}

/**
 * Counts a request without a session or credential: 60 a minute for an address, 240 for an IPv6 network, because it has
 * 65,536 addresses. False if there were too many for this purpose.
 */
export async function countOfAddress(
  { LIMIT_ANONYMOUS, LIMIT_USER_STARTER }: Pick<Env, "LIMIT_ANONYMOUS" | "LIMIT_USER_STARTER">,
  headers: Headers,
  purpose: string,
): Promise<boolean> {
  const { address, network } = clientAddress(headers);
  const ofAddress = await LIMIT_ANONYMOUS.limit({ key: `${purpose}:${address}` });
  if (!ofAddress.success || network === address) {
    return ofAddress.success;
  }
  return (await LIMIT_USER_STARTER.limit({ key: `${purpose}:${network}` })).success;
}

/**
 * Counts an invalid credential of an address, because checking one costs a hash or a database read. False if there were
 * too many.
 */
export function countInvalidCredential(env: Env, headers: Headers): Promise<boolean> {
  return countOfAddress(env, headers, "invalid-credential");
}

/**
 * Counts a read of a calendar feed by the feed's URL, because many programs may share an address. False if there were
 * too many.
 */
export async function countFeedRead(env: Env, secret: string): Promise<boolean> {
  const { success } = await env.LIMIT_ANONYMOUS.limit({ key: `calendar:${await sha256Hex(secret)}` });
  return success;
}

/** Counts a request. If it exceeds the credential's limit, it does not count against the user's other credentials. */
export async function countRequest(
  env: Env,
  { plan, limits, credential, userId }: Pick<Actor, "plan" | "limits" | "credential" | "userId">,
): Promise<ExceededLimit | null> {
  const { requestsPerMinute, userRequestsPerMinute } = limits;
  if (!(await env[LIMITER_BINDING[plan]].limit({ key: credential.id })).success) {
    return { policy: plan, message: `over ${requestsPerMinute} requests in a minute: wait a minute` };
  }
  if (!(await env[USER_LIMITER_BINDING[plan]].limit({ key: userId })).success) {
    return {
      policy: `${plan}-user`,
      message: `over ${userRequestsPerMinute} requests in a minute with all your credentials: wait a minute`,
    };
  }
  return null;
}
