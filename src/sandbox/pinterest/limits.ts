import type { Sim } from "#sandbox/contract.ts";
import { fail } from "./answers.ts";

/* How often is too often: platforms/pinterest.md part 4. */

const CREATES_PER_MINUTE = 60;
const TRIAL_CALLS_PER_DAY = 1000;

export const isTrial = (sim: Sim): boolean => sim.settings.extra["access"] === "trial";

/** Counts a call in the window that is open now; how many there are with it. */
function count(sim: Sim, name: string, windowMs: number): number {
  const window = Math.floor(sim.now() / windowMs);
  const seen = sim.store.get<{ window: number; calls: number }>(`rate:${name}`);
  const calls = seen?.window === window ? seen.calls + 1 : 1;
  sim.store.put(`rate:${name}`, { window, calls });
  return calls;
}

const tooOften = (sim: Sim): Response =>
  fail(sim, 429, 8, "This request exceeded a rate limit. Ratelimited based on user and app.");

/** Any call: a trial app has so many a day, any other the `per_minute` of the settings. */
export function callRefusal(sim: Sim, login: string): Response | null {
  if (isTrial(sim)) {
    return count(sim, "trial", 86_400_000) > (sim.settings.quota ?? TRIAL_CALLS_PER_DAY) ? tooOften(sim) : null;
  }
  const { per_minute: most } = sim.settings.extra;
  return typeof most === "number" && count(sim, `calls:${login}`, 60_000) > most ? tooOften(sim) : null;
}

/** Fast repeats of a person are taken for spam, which is not a rate limit. */
export function spamRefusal(sim: Sim, login: string): Response | null {
  const { creates_per_minute: most } = sim.settings.extra;
  return count(sim, `creates:${login}`, 60_000) > (typeof most === "number" ? most : CREATES_PER_MINUTE)
    ? fail(sim, 403, 9, "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!")
    : null;
}
