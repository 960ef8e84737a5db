import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import type { CalendarDate } from "#core/wall-time.ts";
import type { Overview, ScheduleSummary } from "./types.ts";

export const SLOT_MS = 15 * MINUTE;
const PATTERN_DAYS = 90;
const RECENT_DAYS = 30;
/** The upper ends (ms) of the lateness histogram's ranges. The last range has none. */
const LATENESS_RANGES_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000, null] as const;
const MAX_BUSIEST = 5;

export interface DayCounters {
  readonly day: number;
  readonly counts: Readonly<Record<ListedStatus, number>>;
  /** Scheduled and published posts by quarter hour. Empty for days outside the pattern window. */
  readonly slots: Readonly<Record<string, number>>;
  readonly platforms: Readonly<Partial<Record<Platform, number>>>;
  readonly lateness: Readonly<Record<string, number>>;
}

/**
 * The time range from which posting patterns are computed. It begins and ends at quarter hours, which is exact in every
 * time zone, because all offsets are multiples of a quarter hour.
 */
export function patternWindow(now: number): { readonly from: number; readonly until: number } {
  const slot = Math.floor(now / SLOT_MS) * SLOT_MS;
  return { from: slot - PATTERN_DAYS * DAY, until: slot + PATTERN_DAYS * DAY };
}

/** Adds up the counters. They count publishing posts as scheduled, so these are moved to publishing. */
export function sumCounts(
  counted: readonly Pick<DayCounters, "counts">[],
  publishing: number,
): Record<ListedStatus, number> {
  const sums = { scheduled: 0 - publishing, publishing, published: 0, partially_failed: 0, failed: 0, paused: 0 };
  for (const { counts } of counted) {
    for (const status of POST_STATUSES) {
      sums[status] += counts[status];
    }
  }
  return sums;
}

export function sumPlatforms(
  counted: readonly Pick<DayCounters, "platforms">[],
  publishing: readonly { readonly platforms: readonly Platform[] }[],
): Partial<Record<Platform, number>> {
  const sums: Partial<Record<Platform, number>> = {};
  for (const { platforms } of counted) {
    for (const [platform, count] of Object.entries(platforms) as [Platform, number][]) {
      sums[platform] = (sums[platform] ?? 0) + count;
    }
  }
  for (const platform of publishing.flatMap(({ platforms }) => platforms)) {
    sums[platform] = (sums[platform] ?? 0) - 1;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, count]) => count !== 0));
}

/** The number of posts in the whole quarter hours of a time range: `from` <= time < `until`. */
export function sumSlots(days: readonly DayCounters[], from: number, until: number): number {
  let sum = 0;
  for (const { day, slots } of days) {
    if ((day + 1) * DAY <= from || day * DAY >= until) {
      continue;
    }
    for (const [slot, count] of Object.entries(slots)) {
      const start = day * DAY + Number(slot) * SLOT_MS;
      if (start >= from && start + SLOT_MS <= until) {
        sum += count;
      }
    }
  }
  return sum;
}

export function computePatterns(
  days: readonly DayCounters[],
  timeZone: string,
  now: number,
): ScheduleSummary["patterns"] {
  const cells = countByWeekdayAndHour(days, timeZone, now);
  const total = sum(cells);
  const busiest = cells
    .map((count, cell) => ({ weekday: Math.floor(cell / 24), hour: cell % 24, count }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || a.weekday - b.weekday || a.hour - b.hour)
    .slice(0, MAX_BUSIEST);
  return {
    byWeekday: Array.from({ length: 7 }, (_, weekday) => sum(cells.slice(weekday * 24, weekday * 24 + 24))),
    byHour: Array.from({ length: 24 }, (_, hour) => sum(cells.filter((_count, cell) => cell % 24 === hour))),
    busiest,
    postsPerWeek: Math.round((total / ((2 * PATTERN_DAYS) / 7)) * 100) / 100,
  };
}

/** Counts the scheduled and published posts of the pattern window by hour of the week, from Monday 0:00 in the zone. */
export function countByWeekdayAndHour(days: readonly DayCounters[], timeZone: string, now: number): readonly number[] {
  const window = patternWindow(now);
  const cells = Array.from({ length: 7 * 24 }, () => 0);
  for (const { day, slots } of days) {
    const counted = Object.entries(slots);
    if (counted.length === 0) {
      continue;
    }
    const offset = dayOffset(timeZone, day);
    for (const [slot, count] of counted) {
      const start = day * DAY + Number(slot) * SLOT_MS;
      if (start < window.from || start >= window.until) {
        continue;
      }
      const local = start + (offset ?? zoneOffsetAt(timeZone, start));
      // 1 January 1970 was a Thursday, so adding 3 makes Monday day 0 of the week.
      const weekday = (Math.floor(local / DAY) + 3) % 7;
      const cell = weekday * 24 + Math.floor((local % DAY) / HOUR);
      cells[cell] = (cells[cell] ?? 0) + count;
    }
  }
  return cells;
}

/** The UTC offset of a zone on a UTC day. Null if its clock changes on that day. */
function dayOffset(timeZone: string, day: number): number | null {
  const atStart = zoneOffsetAt(timeZone, day * DAY);
  return atStart === zoneOffsetAt(timeZone, (day + 1) * DAY - 1) ? atStart : null;
}

/** Percentiles of the lateness of targets published in the last 30 days, to two significant digits. */
export function computeLateness(days: readonly DayCounters[], now: number): ScheduleSummary["lateness"] {
  const sorted = sumLateness(days, now);
  const sample = sum(sorted.map(([, count]) => count));
  return {
    p50Ms: percentile(sorted, sample * 0.5),
    p99Ms: percentile(sorted, sample * 0.99),
    maxMs: sorted.at(-1)?.[0] ?? null,
    sample,
  };
}

/** How many targets of the last 30 days had each lateness (ms), in ascending order. */
function sumLateness(days: readonly DayCounters[], now: number): readonly (readonly [ms: number, count: number])[] {
  const buckets = new Map<number, number>();
  for (const { lateness } of days.filter(({ day }) => isRecent(day, now))) {
    for (const [ms, count] of Object.entries(lateness)) {
      buckets.set(Number(ms), (buckets.get(Number(ms)) ?? 0) + count);
    }
  }
  return [...buckets].toSorted(([a], [b]) => a - b);
}

/** Whether a day is one of the last 30 UTC days, today included. */
function isRecent(day: number, now: number): boolean {
  const today = Math.floor(now / DAY);
  return day <= today && day > today - RECENT_DAYS;
}

/**
 * The lateness of targets published in the last 30 days as a histogram. A range counts targets that were late by less
 * than `belowMs` and are in no earlier range.
 */
export function latenessHistogram(days: readonly DayCounters[], now: number): Overview["latenessHistogram"] {
  const buckets = sumLateness(days, now);
  return LATENESS_RANGES_MS.map((belowMs, index) => {
    const fromMs = LATENESS_RANGES_MS[index - 1] ?? 0;
    const inRange = buckets.filter(([ms]) => ms >= fromMs && ms < (belowMs ?? Infinity));
    return { belowMs, count: sum(inRange.map(([, count]) => count)) };
  });
}

/** The results of posts on each of the last 30 UTC days, oldest first. */
export function outcomesByDay(days: readonly DayCounters[], now: number): Overview["outcomesByDay"] {
  const countsOf = new Map(days.map(({ day, counts }) => [day, counts]));
  const today = Math.floor(now / DAY);
  return Array.from({ length: RECENT_DAYS }, (_, index) => {
    const day = today - RECENT_DAYS + 1 + index;
    const { published = 0, partially_failed: partiallyFailed = 0, failed = 0 } = countsOf.get(day) ?? {};
    return { date: new Date(day * DAY).toISOString().slice(0, 10) as CalendarDate, published, partiallyFailed, failed };
  });
}

/** The smallest value that at least `rank` of the counted values do not exceed. */
function percentile(sorted: readonly (readonly [number, number])[], rank: number): number | null {
  let cumulativeCount = 0;
  for (const [value, count] of sorted) {
    cumulativeCount += count;
    if (cumulativeCount >= rank) {
      return value;
    }
  }
  return null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
