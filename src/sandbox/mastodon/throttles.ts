import { HOUR, MINUTE } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Call, InstanceStore } from "./call.ts";

/* Throttles and their headers (docs/platforms/facts/mastodon.md part 5; M config/initializers/rack_attack.rb,
   app/lib/rate_limiter.rb). */

export interface Throttle {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

const POSTS_LIMIT = 300;

/** What the throttles know about the sender of a request. */
export interface Sender {
  readonly ip: string;
  /** The token's secret; null without a token, or with an unknown one. */
  readonly tokenSecret: string | null;
  /** The id of the token's account; null for the token of an app. */
  readonly accountId: string | null;
}

export const postsThrottle = (sim: SimulatorContext, accountId: string): Throttle => ({
  name: `posts:${accountId}`,
  limit: sim.settings.quota ?? POSTS_LIMIT,
  windowMs: 3 * HOUR,
});

const PAGING_PARAMS = ["max_id", "min_id", "since_id"];

/** The throttles that count the request. */
export function throttlesOf({ request, url, instance }: Call, { ip, tokenSecret, accountId }: Sender): Throttle[] {
  const person = accountId ?? `ip:${ip}`;
  const throttles: Throttle[] = [];
  if (tokenSecret === null) {
    throttles.push({ name: `ip:${ip}`, limit: 300, windowMs: 5 * MINUTE });
  } else {
    throttles.push({ name: `token:${tokenSecret}`, limit: 300, windowMs: 5 * MINUTE });
  }
  if (accountId !== null) {
    throttles.push({ name: `person:${accountId}`, limit: 1500, windowMs: 5 * MINUTE });
  }
  if (request.method === "POST" && /^\/api\/v\d\/media$/.test(url.pathname)) {
    throttles.push({ name: `media:${person}`, limit: 30, windowMs: 30 * MINUTE });
  }
  if (request.method === "DELETE" && url.pathname.startsWith("/api/v1/statuses/")) {
    throttles.push({ name: `delete:${person}`, limit: 30, windowMs: 30 * MINUTE });
  }
  // The throttle of registrations exists since 4.3.
  if (request.method === "POST" && url.pathname === "/api/v1/apps" && !instance.is42) {
    throttles.push({ name: `apps:${ip}`, limit: 5, windowMs: 10 * MINUTE });
  }
  if (PAGING_PARAMS.some((name) => url.searchParams.has(name))) {
    throttles.push({ name: `paging:${person}`, limit: 300, windowMs: 15 * MINUTE });
  }
  return throttles;
}

/** The window in which a request falls. Windows are fixed and aligned to the epoch. */
const windowOf = (sim: SimulatorContext, { windowMs }: Throttle): number => Math.floor(sim.now() / windowMs);

export function countOf({ sim, store }: { sim: SimulatorContext; store: InstanceStore }, throttle: Throttle): number {
  const stored = store.get<{ window: number; count: number }>(`rate/${throttle.name}`);
  return stored?.window === windowOf(sim, throttle) ? stored.count : 0;
}

function addOne(sim: SimulatorContext, store: InstanceStore, throttle: Throttle): number {
  const count = countOf({ sim, store }, throttle) + 1;
  store.put(`rate/${throttle.name}`, { window: windowOf(sim, throttle), count });
  return count;
}

/** Counts one request. False when the request exceeds the limit. */
export const countRequest = ({ sim, store, settings }: Call, throttle: Throttle): boolean =>
  addOne(sim, store, throttle) <= throttle.limit || settings.isLenient("throttles");

/** Counts a saved post. Only saved posts count against the limit of posts. */
export const countPublished = (sim: SimulatorContext, store: InstanceStore, accountId: string): void =>
  void addOne(sim, store, postsThrottle(sim, accountId));

/** The headers for the tightest limit. There is no Retry-After. */
export function throttleHeaders(call: Call, throttles: readonly Throttle[]): Record<string, string> {
  const [nearest] = throttles
    .map((throttle) => ({ throttle, remaining: Math.max(0, throttle.limit - countOf(call, throttle)) }))
    .toSorted((a, b) => a.remaining - b.remaining);
  if (!nearest) {
    return {};
  }
  const { throttle, remaining } = nearest;
  const resetAt = new Date((windowOf(call.sim, throttle) + 1) * throttle.windowMs);
  return {
    "x-ratelimit-limit": String(throttle.limit),
    "x-ratelimit-remaining": String(remaining),
    // The time has six decimals (M concerns/api/rate_limit_headers.rb).
    "x-ratelimit-reset": resetAt.toISOString().replace("Z", "000Z"),
  };
}
