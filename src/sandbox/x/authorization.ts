import type { SimulatorContext } from "#sandbox/contract.ts";
import { bearerToken, findValidToken } from "#sandbox/oauth-server.ts";
import { missingScope, tooManyRequests, unauthorized } from "./error-responses.ts";
import { TEST_USERS, type TestUser } from "./test-users.ts";

/* Bearer token, scopes and rate limits of a call. */

const WINDOW_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

export interface AuthorizedCall {
  readonly user: TestUser;
  /** The rate limit headers of every response. */
  readonly headers: Record<string, string>;
}

/** Counts one call in a rate limit window; returns what remains and when the window resets. */
function takeFromWindow(sim: SimulatorContext, name: string, limit: number, windowMs: number) {
  const now = sim.now();
  const stored = sim.store.get<{ resetAt: number; used: number }>(`rate:${name}`);
  const window = stored && stored.resetAt > now ? stored : { resetAt: now + windowMs, used: 0 };
  const allowed = window.used < limit;
  const used = window.used + Number(allowed);
  sim.store.put(`rate:${name}`, { resetAt: window.resetAt, used });
  return { allowed, limit, remaining: limit - used, reset: Math.ceil(window.resetAt / 1000) };
}

function rateLimitHeaders(prefix: string, window: ReturnType<typeof takeFromWindow>): Record<string, string> {
  return {
    [`${prefix}-limit`]: String(window.limit),
    [`${prefix}-remaining`]: String(window.remaining),
    [`${prefix}-reset`]: String(window.reset),
  };
}

export interface EndpointAccess {
  /** The endpoint's name; calls with the same name share a window. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Calls per user in 15 minutes. */
  readonly limit: number;
  /** Whether the setting `quota` (posts per day) applies. */
  readonly publishes?: boolean;
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    response.headers.set(name, value);
  }
  return response;
}

/** Calls `handle` for a valid token with the scopes, within the rate limits. */
export async function authorizeCall(
  request: Request,
  sim: SimulatorContext,
  access: EndpointAccess,
  handle: (call: AuthorizedCall) => Response | Promise<Response>,
): Promise<Response> {
  const token = findValidToken(sim, bearerToken(request) ?? "", "access");
  const user = token && TEST_USERS[token.login];
  if (!user) {
    return unauthorized();
  }
  const { quota } = sim.settings;
  const dailyLimit = access.publishes && quota !== null ? quota : null;
  const shortWindow = takeFromWindow(
    sim,
    `${user.id}:${access.name}`,
    Math.max(access.limit, dailyLimit ?? 0),
    WINDOW_MS,
  );
  const headers = rateLimitHeaders("x-rate-limit", shortWindow);
  if (!shortWindow.allowed) {
    return withHeaders(tooManyRequests(), headers);
  }
  if (!access.scopes.every((scope) => token.scopes.includes(scope))) {
    return withHeaders(missingScope(), headers);
  }
  if (dailyLimit !== null) {
    const dayWindow = takeFromWindow(sim, `${user.id}:${access.name}:day`, dailyLimit, DAY_MS);
    Object.assign(headers, rateLimitHeaders("x-user-limit-24hour", dayWindow));
    if (!dayWindow.allowed) {
      return withHeaders(tooManyRequests(), headers);
    }
  }
  return withHeaders(await handle({ user, headers }), headers);
}
