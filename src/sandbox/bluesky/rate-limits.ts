import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { xrpcError } from "./responses.ts";

/* Points per account and calls per address (section 4, rule 24; B rate-limits; pds rate-limits.ts). */

const POINTS_PER_HOUR = 5000;
const POINTS_PER_DAY = 35_000;
const CALLS_PER_5_MINUTES = 3000;
const UPLOADS_PER_DAY = 1000;
const SESSIONS_PER_DAY = 300;
const SESSIONS_PER_5_MINUTES = 30;
export const POINTS = { create: 3, update: 2, delete: 1 } as const;

export interface RateWindow {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly headers: Record<string, string>;
  refusal(): Response;
}

/** Takes points from a window that begins with its first call. Takes nothing if too few are left. */
export function takeFromWindow(
  sim: SimulatorContext,
  name: string,
  limit: number,
  windowMs: number,
  points = 1,
): RateWindow {
  const now = sim.now();
  const stored = sim.store.get<{ resetAt: number; used: number }>(`rate:${name}`);
  const window = stored && stored.resetAt > now ? stored : { resetAt: now + windowMs, used: 0 };
  const allowed = window.used + points <= limit;
  const used = allowed ? window.used + points : window.used;
  sim.store.put(`rate:${name}`, { resetAt: window.resetAt, used });
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, limit - used)),
    "ratelimit-reset": String(Math.ceil(window.resetAt / 1000)),
    "ratelimit-policy": `${limit};w=${Math.round(windowMs / 1000)}`,
  };
  const retryAfter = String(Math.ceil((window.resetAt - now) / 1000));
  return {
    allowed,
    remaining: limit - used,
    headers,
    refusal: () =>
      xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", { ...headers, "retry-after": retryAfter }),
  };
}

interface Limit {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** Takes points from all windows or from none. Returns the refusal, or the headers of the tightest window. */
function takeFromAll(
  sim: SimulatorContext,
  limits: readonly Limit[],
  points: number,
): Response | Record<string, string> {
  const take = (count: number): RateWindow[] =>
    limits.map(({ name, limit, windowMs }) => takeFromWindow(sim, name, limit, windowMs, count));
  const exceeded = take(0).findIndex(({ remaining }) => remaining < points);
  const limit = limits[exceeded];
  if (limit) {
    return takeFromWindow(sim, limit.name, limit.limit, limit.windowMs, points).refusal();
  }
  return take(points).toSorted((a, b) => a.remaining - b.remaining)[0]?.headers ?? {};
}

/** Counts a call. In the sandbox every caller has the same address. */
export function takeCall(sim: SimulatorContext, host: string): RateWindow {
  const limit = sim.settings.extra["calls_per_5_minutes"] ?? CALLS_PER_5_MINUTES;
  return takeFromWindow(sim, `ip:${host}`, Number(limit), 5 * MINUTE);
}

export function takeUpload(sim: SimulatorContext, host: string): RateWindow {
  const limit = sim.settings.extra["uploads_per_day"] ?? UPLOADS_PER_DAY;
  return takeFromWindow(sim, `uploads:${host}`, Number(limit), DAY);
}

/** Counts points. `quota` is a number of posts a day, each of three points. */
export function takePoints(sim: SimulatorContext, did: string, points: number): Response | Record<string, string> {
  const { quota } = sim.settings;
  const limits = [
    { name: `points-hour:${did}`, limit: POINTS_PER_HOUR, windowMs: HOUR },
    { name: `points-day:${did}`, limit: quota === null ? POINTS_PER_DAY : quota * POINTS.create, windowMs: DAY },
  ];
  return takeFromAll(sim, limits, points);
}

/**
 * Counts a new session: 30 in five minutes and 300 a day per identifier (section 2). The entryway has refused at 100 a
 * day.
 */
export function takeSession(sim: SimulatorContext, identifier: string): Response | Record<string, string> {
  const perDay = sim.settings.extra["sessions_per_day"] ?? SESSIONS_PER_DAY;
  const limits = [
    { name: `sessions-5m:${identifier}`, limit: SESSIONS_PER_5_MINUTES, windowMs: 5 * MINUTE },
    { name: `sessions-day:${identifier}`, limit: Number(perDay), windowMs: DAY },
  ];
  return takeFromAll(sim, limits, 1);
}
