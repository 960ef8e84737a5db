import { DAY, MINUTE, toIsoInstant } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { PlannedTime, ScheduleInput } from "#planning/plan/types.ts";

/** How far ahead (ms) a post can be scheduled. */
export const MAX_AHEAD_MS = 365 * DAY;
const DUE_SOON_MS = 5 * MINUTE;

/** The time for checking a post. For `now` it is the present moment, because the confirm follows soon. */
export function checkedTime<Time extends number | null>(scheduledAt: Time | "now", now: number): Time | number {
  return scheduledAt === "now" ? now : scheduledAt;
}

/** Finds times that are in the past or more than a year ahead. */
export function timeProblems(scheduledAt: number, now: number, param: string): RefusalDetail[] {
  if (scheduledAt < now) {
    return [
      { code: "scheduled_at_in_past", message: "this time has passed", param, actual: formatInstant(scheduledAt) },
    ];
  }
  return scheduledAt > now + MAX_AHEAD_MS
    ? [
        {
          code: "scheduled_at_too_far",
          message: "posts can be scheduled at most 365 days ahead",
          param,
          limit: toIsoInstant(now + MAX_AHEAD_MS),
          actual: formatInstant(scheduledAt),
        },
      ]
    : [];
}

/** Warns of a time that is close, or that the clock shows twice. A time in the past is a problem and not a warning. */
export function timeWarnings(
  scheduledAt: PlannedTime,
  now: number,
  { timeWarning }: Pick<ScheduleInput, "timeWarning"> = {},
): ValidationWarning[] {
  return [
    ...(scheduledAt !== "now" && scheduledAt >= now && scheduledAt - now < DUE_SOON_MS
      ? [dueSoonWarning(scheduledAt)]
      : []),
    ...(timeWarning ? [timeWarning] : []),
  ];
}

function dueSoonWarning(scheduledAt: number): ValidationWarning {
  return {
    code: "due_soon",
    message: `confirm before ${toIsoInstant(scheduledAt)}, because the post cannot be scheduled after that`,
  };
}

/**
 * Writes an instant. A very large `shift_minutes` can lead outside the range of dates, for which `toIsoInstant` would
 * throw.
 */
function formatInstant(instant: number): string {
  return Number.isNaN(new Date(instant).valueOf()) ? String(instant) : toIsoInstant(instant);
}
