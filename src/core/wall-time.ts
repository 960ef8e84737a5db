import { DAY, MINUTE } from "./clock.ts";
import { zoneOffsetAt } from "./time-zone.ts";

/*
 * Wall times and calendar dates. There is no global `Temporal` here on purpose: the runtime's own one is missing locally and has
 * been deployed with a clock that stood at 1970 (cloudflare/workerd#6907).
 */

/** A date of the calendar as `YYYY-MM-DD`, without a time zone; years 1970 to 9999. */
export type CalendarDate = `${number}-${number}-${number}`;

/** What a clock on the wall shows, to the minute. */
export interface WallTime {
  readonly date: CalendarDate;
  /** Minutes since midnight: 0 to 1439. */
  readonly minute: number;
}

const MINUTES_PER_DAY = 1440;
const DATE_PATTERN = /^(?:19[7-9]\d|[2-9]\d{3})-(\d{2})-(\d{2})$/;

/** The date as written; null unless it is one of the calendar (`2026-02-30` is not). */
export function parseDate(text: string): CalendarDate | null {
  if (!DATE_PATTERN.test(text)) {
    return null;
  }
  const date = text as CalendarDate;
  const day = dayNumber(date);
  return Number.isInteger(day) && fromDayNumber(day) === date ? date : null;
}

/** Minutes since midnight of `HH:MM` on a 24-hour clock; null for any other text. */
export function parseTimeOfDay(text: string): number | null {
  const [, hour = "", minute = ""] = /^([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(text) ?? [];
  return hour === "" ? null : Number(hour) * 60 + Number(minute);
}

/** `HH:MM` on a 24-hour clock, as `<input type="time">` takes it. */
export function toTimeOfDay(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

/** Days since 1 January 1970. */
function dayNumber(date: CalendarDate): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

function fromDayNumber(day: number): CalendarDate {
  return new Date(day * DAY).toISOString().slice(0, 10) as CalendarDate;
}

export function addDays(date: CalendarDate, days: number): CalendarDate {
  return fromDayNumber(dayNumber(date) + days);
}

/** From `from` to `to` in days; negative if `to` is earlier. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return dayNumber(to) - dayNumber(from);
}

export function startOfMonth(date: CalendarDate): CalendarDate {
  return `${date.slice(0, 8)}01` as CalendarDate;
}

/** The first day of the month that is `months` later. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10) as CalendarDate;
}

/** 0 is Monday, 6 is Sunday. */
export function weekdayOf(date: CalendarDate): number {
  return (dayNumber(date) + 3) % 7;
}

/** The first day of the week that contains the date; `firstWeekday` as in `weekdayOf`. */
export function startOfWeek(date: CalendarDate, firstWeekday: number): CalendarDate {
  return addDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7));
}

export function wallTimeAt(timeZone: string, instant: number): WallTime {
  const local = instant + zoneOffsetAt(timeZone, instant);
  const day = Math.floor(local / DAY);
  return { date: fromDayNumber(day), minute: Math.floor((local - day * DAY) / MINUTE) };
}

/**
 * The instants at which a clock in the zone shows the wall time, in order: two in the hour that a change back repeats, none in the
 * hour that a change forward skips.
 */
export function instantsOf(timeZone: string, { date, minute }: WallTime): readonly number[] {
  const asUtc = dayNumber(date) * DAY + minute * MINUTE;
  // No zone changes its offset twice within two days, so one of both neighbours has the offset of the wall time.
  const offsets = new Set([zoneOffsetAt(timeZone, asUtc - DAY), zoneOffsetAt(timeZone, asUtc + DAY)]);
  return [...offsets]
    .map((offset) => asUtc - offset)
    .filter((instant) => instant + zoneOffsetAt(timeZone, instant) === asUtc)
    .toSorted((a, b) => a - b);
}

/** The instant of a wall time: the earlier one where it occurs twice, and in a skipped hour as much later as the clock was moved. */
export function instantOf(timeZone: string, wall: WallTime): number {
  const [first] = instantsOf(timeZone, wall);
  if (first !== undefined) {
    return first;
  }
  const asUtc = dayNumber(wall.date) * DAY + wall.minute * MINUTE;
  return asUtc - zoneOffsetAt(timeZone, asUtc - DAY);
}

/** The last minute before and the first after the change of the clocks that skips the wall time; null for one that exists. */
export function neighboursOfSkipped(
  timeZone: string,
  wall: WallTime,
): { readonly before: WallTime; readonly after: WallTime } | null {
  if (instantsOf(timeZone, wall).length > 0) {
    return null;
  }
  const asUtc = dayNumber(wall.date) * DAY + wall.minute * MINUTE;
  const offsetAfter = zoneOffsetAt(timeZone, asUtc + DAY);
  // The change lies between the instants that the offsets after and before it give for the wall time.
  let [before, after] = [asUtc - offsetAfter, asUtc - zoneOffsetAt(timeZone, asUtc - DAY)];
  while (after - before > MINUTE) {
    const middle = Math.floor((before + after) / 2 / MINUTE) * MINUTE;
    if (zoneOffsetAt(timeZone, middle) === offsetAfter) {
      after = middle;
    } else {
      before = middle;
    }
  }
  return { before: wallTimeAt(timeZone, before), after: wallTimeAt(timeZone, after) };
}

/** The first instant of a date in the zone. */
export function startOfDate(timeZone: string, date: CalendarDate): number {
  const [first] = instantsOf(timeZone, { date, minute: 0 });
  if (first !== undefined) {
    return first;
  }
  // Midnight is skipped: the day begins when the clock moves, which a search to the minute finds.
  let [before, after] = [
    instantOf(timeZone, { date: addDays(date, -1), minute: 720 }),
    instantOf(timeZone, { date, minute: 720 }),
  ];
  while (after - before > MINUTE) {
    const middle = Math.floor((before + after) / 2 / MINUTE) * MINUTE;
    if (wallTimeAt(timeZone, middle).date < date) {
      before = middle;
    } else {
      after = middle;
    }
  }
  return after;
}

/** The wall time that is `minutes` later on the clock, without regard to changes of the offset. */
export function addMinutes({ date, minute }: WallTime, minutes: number): WallTime {
  const total = minute + minutes;
  const days = Math.floor(total / MINUTES_PER_DAY);
  return { date: addDays(date, days), minute: total - days * MINUTES_PER_DAY };
}
