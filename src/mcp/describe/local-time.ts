import { z } from "@hono/zod-openapi";
import { DAY, MINUTE } from "#core/clock.ts";
import {
  addDays,
  type CalendarDate,
  parseDate,
  startOfDate,
  toTimeOfDay,
  wallTimeAt,
  weekdayOf,
} from "#core/wall-time.ts";
import { type ReadTime, readLocalTime, type TimeReading } from "#wire/local-time.ts";
import { addTimeIssue } from "#wire/schemas/scheduled-at.ts";

/** How times of a call are read and written. Null if the caller named a time zone that does not exist. */
export interface TimeReader {
  readonly timeZone: string | null;
  readonly now: number;
}

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Writes a date as `Thursday, 24 December 2026`. */
function dateInWords(date: CalendarDate): string {
  const [year, month, day] = date.split("-").map(Number);
  return `${WEEKDAYS[weekdayOf(date)]}, ${day} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

/** Writes an instant as `Thursday, 24 December 2026, 19:00 (Europe/Berlin)`. */
export function timeInWords(timeZone: string, instant: number): string {
  const { date, minute } = wallTimeAt(timeZone, instant);
  return `${dateInWords(date)}, ${toTimeOfDay(minute)} (${timeZone})`;
}

/**
 * Reads a time that a model wrote. If it is invalid, the explanation contains today's date, because models often do not
 * know it.
 */
export function readTimeArgument(text: string, { timeZone, now }: TimeReader): TimeReading {
  return (
    readLocalTime(text, timeZone) ?? { code: "invalid_format", problem: formatProblem(text, timeZone ?? "UTC", now) }
  );
}

function formatProblem(text: string, timeZone: string, now: number): string {
  const example = `${addDays(wallTimeAt(timeZone, now).date, 1)}T18:00`;
  const problem = parseDate(text.trim())
    ? "has no time of day"
    : "is not a date and a time (get_overview says what day it is)";
  return `${problem}: write it like ${example}, without an offset and with time_zone, or in UTC like ${example}:00Z`;
}

function asInput<Time extends typeof NOW>(read: (text: string) => TimeReading | Time) {
  return z.string().transform((text, ctx): ReadTime | Time => {
    const reading = read(text);
    if ("problem" in reading) {
      addTimeIssue(ctx, text, reading);
      return z.NEVER;
    }
    return reading;
  });
}

const NOW = { instant: "now", warning: null } as const;

/** The schema for the time of a post: `now`, or a time that `readTimeArgument` reads. */
export function scheduledTimeInput(reader: TimeReader) {
  return asInput((text) => (text === "now" ? NOW : readTimeArgument(text, reader)));
}

/** The schema for the start or end of a range. A date without a time means the whole day. */
export function rangeInput(reader: TimeReader, side: "from" | "until") {
  return asInput<never>((text) => {
    const date = parseDate(text.trim());
    return date === null
      ? readTimeArgument(text, reader)
      : {
          instant: startOfDate(reader.timeZone ?? "UTC", side === "from" ? date : addDays(date, 1)),
          warning: null,
        };
  });
}

/** Lists today and the next days with their dates, so that a model need not calculate. */
export function daysAhead(timeZone: string, now: number, count: number): string {
  const { date } = wallTimeAt(timeZone, now);
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(date, index);
    return `${WEEKDAYS[weekdayOf(day)]?.slice(0, 3)} ${day}`;
  }).join(", ");
}

/** Says roughly how long it is until an instant: `in 3 days`. */
export function fromNow(instant: number, now: number): string {
  const minutes = Math.round((instant - now) / MINUTE);
  const size = Math.abs(minutes);
  const text =
    size < 90
      ? `${size} min`
      : size < 2 * 24 * 60
        ? `${Math.round(size / 60)} h`
        : `${Math.round((size * MINUTE) / DAY)} days`;
  return minutes < 0 ? `${text} ago` : `in ${text}`;
}
