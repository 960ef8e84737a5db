import type { SimulatorContext } from "#sandbox/contract.ts";
import { errorResponse } from "./responses.ts";

/* Rate limits and the spam block (platforms/pinterest.md part 4). */

const MAX_CREATES_PER_MINUTE = 60;
const MAX_TRIAL_CALLS_PER_DAY = 1000;

export const hasTrialAccess = (sim: SimulatorContext): boolean => sim.settings.extra["access"] === "trial";

/** Counts a call in the current window. Returns the count including the call. */
function countCall(sim: SimulatorContext, name: string, windowMs: number): number {
  const window = Math.floor(sim.now() / windowMs);
  const stored = sim.store.get<{ window: number; calls: number }>(`rate:${name}`);
  const calls = stored?.window === window ? stored.calls + 1 : 1;
  sim.store.put(`rate:${name}`, { window, calls });
  return calls;
}

const rateLimited = (sim: SimulatorContext): Response =>
  errorResponse(sim, 429, 8, "This request exceeded a rate limit. Ratelimited based on user and app.");

/** Limits every call: for a trial app per day, for any other app by the setting `per_minute`. */
export function checkCallRate(sim: SimulatorContext, login: string): Response | null {
  if (hasTrialAccess(sim)) {
    return countCall(sim, "trial", 86_400_000) > (sim.settings.quota ?? MAX_TRIAL_CALLS_PER_DAY)
      ? rateLimited(sim)
      : null;
  }
  const { per_minute: limit } = sim.settings.extra;
  return typeof limit === "number" && countCall(sim, `calls:${login}`, 60_000) > limit ? rateLimited(sim) : null;
}

/** Refuses too many pins in a minute as spam, which has its own error and is no rate limit. */
export function checkSpamLimit(sim: SimulatorContext, login: string): Response | null {
  const { creates_per_minute: limit } = sim.settings.extra;
  return countCall(sim, `creates:${login}`, 60_000) > (typeof limit === "number" ? limit : MAX_CREATES_PER_MINUTE)
    ? errorResponse(
        sim,
        403,
        9,
        "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!",
      )
    : null;
}
