import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { type DayTotals, readDayCounters } from "./store-day-counters.ts";
import {
  computeLateness,
  computePatterns,
  patternWindow,
  SLOT_MS,
  sumCounts,
  sumPlatforms,
  sumSlots,
} from "./schedule-statistics.ts";
import { isTimeZone } from "#core/time-zone.ts";
import type { ScheduleSummary } from "./types.ts";

const UPCOMING_DAYS = [1, 7, 30] as const;

/** Computes counts and patterns of the active workspace from its day counters. */
export async function summarizeSchedule(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  input: { readonly timezone?: string | undefined },
): Promise<ScheduleSummary> {
  const timezone = input.timezone ?? "UTC";
  if (!isTimeZone(timezone)) {
    refuse({
      code: "invalid_request",
      message: "timezone must be an IANA name such as Europe/Berlin",
      param: "timezone",
    });
  }
  const now = ctx.clock.now();
  const ends = UPCOMING_DAYS.map((days) => now + days * DAY);
  const { days, totals, boundaries } = await readDayCounters(ctx.db, ctx.actor, {
    now,
    ends,
    ...patternWindow(now),
  });
  const { publishing } = boundaries;
  const firstSlot = Math.ceil(now / SLOT_MS) * SLOT_MS;
  // Counts of quarter hours include published and publishing posts, but no published post is in the future.
  const upcoming = ends.map(
    (end, index) =>
      boundaries.countBeforeFirstSlot +
      sumSlots(days, firstSlot, end) -
      publishing.filter(({ at }) => at >= firstSlot && at < Math.floor(end / SLOT_MS) * SLOT_MS).length +
      (boundaries.countsAfterLastSlot[index] ?? 0),
  );
  const [next24Hours = 0, next7Days = 0, next30Days = 0] = upcoming;
  const counted = [...totals, ...days.filter(({ day }) => isInNoTotal(day, totals))];
  return {
    timezone,
    counts: sumCounts(counted, publishing.length),
    byPlatform: sumPlatforms(counted, publishing),
    nextPostAt: boundaries.nextPostAt,
    upcoming: { next24Hours, next7Days, next30Days },
    patterns: computePatterns(days, timezone, now),
    lateness: computeLateness(days, now),
  };
}

function isInNoTotal(day: number, totals: readonly DayTotals[]): boolean {
  return totals.every((total) => (total.side === "before" ? day >= total.day : day < total.day));
}
