import { DAY, MINUTE, toInstant } from "#core/clock.ts";
import type { Detail } from "#core/errors.ts";
import type { ValidationWarning } from "#platforms/contract.ts";

const MAX_AHEAD_MS = 365 * DAY;
const SOON_MS = 5 * MINUTE;

/** A time that is past, or too far off to promise anything. */
export function timeProblems(scheduledAt: number, now: number, param: string): Detail[] {
  if (scheduledAt < now) {
    return [{ code: "scheduled_at_in_past", message: "this time has passed", param, actual: spell(scheduledAt) }];
  }
  return scheduledAt > now + MAX_AHEAD_MS
    ? [
        {
          code: "scheduled_at_too_far",
          message: "posts can be scheduled at most 365 days ahead",
          param,
          limit: toInstant(now + MAX_AHEAD_MS),
          actual: spell(scheduledAt),
        },
      ]
    : [];
}

export function timeWarnings(scheduledAt: number, now: number): ValidationWarning[] {
  return scheduledAt - now < SOON_MS
    ? [{ code: "due_soon", message: `confirm before ${toInstant(scheduledAt)}: afterwards the time has passed` }]
    : [];
}

/** Shifted by a wild number of minutes, an instant may have no spelling. */
function spell(instant: number): string {
  return Number.isNaN(new Date(instant).valueOf()) ? String(instant) : toInstant(instant);
}
