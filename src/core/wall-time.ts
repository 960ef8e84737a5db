import { DAY, MINUTE } from "./clock.ts";
import { zoneOffsetAt } from "./time-zone.ts";

/* Calculates with wall times and calendar dates. It does not use the global `Temporal`: the local runtime lacks it,
   and Cloudflare once deployed one whose clock stood at 1970 (cloudflare/workerd#6907). */

/** A calendar date as `YYYY-MM-DD`, without a time zone. Years are 1970 to 9999. */
export type CalendarDate = `${number}-${number}-${number}`;

/** The local time that a clock shows, to the minute. */
export interface WallTime {
  readonly date: CalendarDate;
  /** Minutes since midnight: 0 to 1439. */
  readonly minute: number;
}

const MINUTES_PER_DAY = 1440;
const DATE_PATTERN = /^(?:19[7-9]\d|[2-9]\d{3})-(\d{2})-(\d{2})$/;

/** Parses a date. Null if the calendar does not have it (`2026-02-30`). */
export function parseDate(text: string): CalendarDate | null {
  if (!DATE_PATTERN.test(text)) {
    return null;
  }
  const date = text as CalendarDate;
  const day = dayNumber(date);
  return Number.isInteger(day) && fromDayNumber(day) === date ? date : null;
}

/** Parses `HH:MM` (24-hour clock) into minutes since midnight; null for any other text. */
export function parseTimeOfDay(text: string): number | null {
  const [, hour = "", minute = ""] = /^([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(text) ?? [];
  return hour === "" ? null : Number(hour) * 60 + Number(minute);
}

/** Writes `HH:MM` (24-hour clock), the format of `<input type="time">`. */
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

/** The number of days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return dayNumber(to) - dayNumber(from);
}

export function startOfMonth(date: CalendarDate): CalendarDate {
  return `${date.slice(0, 8)}01` as CalendarDate;
}

/** The first day of the month that is `months` months after the date's month. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10) as CalendarDate;
}

/** The day of the week: 0 is Monday, 6 is Sunday. */
export function weekdayOf(date: CalendarDate): number {
  return (dayNumber(date) + 3) % 7;
}

/** The first day of the week that contains the date. `firstWeekday` is numbered as in `weekdayOf`. */
export function startOfWeek(date: CalendarDate, firstWeekday: number): CalendarDate {
  return addDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7));
}

export function wallTimeAt(timeZone: string, instant: number): WallTime {
  const local = instant + zoneOffsetAt(timeZone, instant);
  const day = Math.floor(local / DAY);
  return { date: fromDayNumber(day), minute: Math.floor((local - day * DAY) / MINUTE) };
}

/**
 * The instants at which a clock in the zone shows a wall time, in order. Two if the clock is set back over this time;
 * none if it is set forward over it.
 */
export function instantsOf(timeZone: string, { date, minute }: WallTime): readonly number[] {
  const asUtc = dayNumber(date) * DAY + minute * MINUTE;
  // No zone changes its offset twice within two days. So the wall time has the offset of a day earlier or of a day
  // later.
  const offsets = new Set([zoneOffsetAt(timeZone, asUtc - DAY), zoneOffsetAt(timeZone, asUtc + DAY)]);
  return [...offsets]
    .map((offset) => asUtc - offset)
    .filter((instant) => instant + zoneOffsetAt(timeZone, instant) === asUtc)
    .toSorted((a, b) => a - b);
}

/**
 * The instant of a wall time. If a clock shows it twice, the earlier instant. If a clock change skips it, the wall time
 * moves forward by the size of the change.
 */
export function instantOf(timeZone: string, wall: WallTime): number {
  const [first] = instantsOf(timeZone, wall);
  if (first !== undefined) {
    return first;
  }
  const asUtc = dayNumber(wall.date) * DAY + wall.minute * MINUTE;
  return asUtc - zoneOffsetAt(timeZone, asUtc - DAY);
}

/**
 * For a wall time that a clock change skips: the last minute before the change and the first minute after it. Null for
 * a time that exists.
 */
export function neighboursOfSkipped(
  timeZone: string,
  wall: WallTime,
): { readonly before: WallTime; readonly after: WallTime } | null {
  if (instantsOf(timeZone, wall).length > 0) {
    return null;
  }
  const asUtc = dayNumber(wall.date) * DAY + wall.minute * MINUTE;
  const offsetAfter = zoneOffsetAt(timeZone, asUtc + DAY);
  // Convert the wall time with both offsets, from before and after the clock change. The change is between the two
  // instants.
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

export function startOfDate(timeZone: string, date: CalendarDate): number {
  const [first] = instantsOf(timeZone, { date, minute: 0 });
  if (first !== undefined) {
    return first;
  }
  // A clock change skips midnight, so the day begins at the change. Search for it, to the minute.
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

/** Adds minutes to a wall time as if the zone had no clock changes. */
export function addMinutes({ date, minute }: WallTime, minutes: number): WallTime {
  const total = minute + minutes;
  const days = Math.floor(total / MINUTES_PER_DAY);
  return { date: addDays(date, days), minute: total - days * MINUTES_PER_DAY };
}
