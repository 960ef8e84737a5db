import { z } from "@hono/zod-openapi";
import { DAY, MINUTE, toIsoInstant } from "#core/clock.ts";
import type { DetailCode, WarningCode } from "#core/codes.ts";
import { isTimeZone, zoneOffsetAt } from "#core/time-zone.ts";
import {
  addDays,
  type CalendarDate,
  instantsOf,
  neighboursOfSkipped,
  parseDate,
  parseTimeOfDay,
  startOfDate,
  toTimeOfDay,
  type WallTime,
  wallTimeAt,
  weekdayOf,
} from "#core/wall-time.ts";
import { parseInstant } from "#wire/instant.ts";

/** The zone in which a call's times are read; null while it is not known, because the caller named none that exists. */
export interface TimeReader {
  readonly timeZone: string | null;
  readonly now: number;
}

export interface TimeWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** A time as it was read, with what the caller should know of it. */
interface ReadTime {
  readonly instant: number;
  readonly warning: TimeWarning | null;
}

type TimeReading = ReadTime | { readonly code: DetailCode; readonly problem: string };

const WALL = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const OFFSET = /[+-]\d{2}:\d{2}$/;
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
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

/** `Thursday, 24 December 2026`. */
function dateInWords(date: CalendarDate): string {
  const [year, month, day] = date.split("-").map(Number);
  return `${WEEKDAYS[weekdayOf(date)]}, ${day} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

/** `Thursday, 24 December 2026, 19:00 (Europe/Berlin)`. */
export function timeInWords(timeZone: string, instant: number): string {
  const { date, minute } = wallTimeAt(timeZone, instant);
  return `${dateInWords(date)}, ${toTimeOfDay(minute)} (${timeZone})`;
}

/** `2026-12-24T19:00`. */
export function wallText({ date, minute }: WallTime): string {
  return `${date}T${toTimeOfDay(minute)}`;
}

/** `+01:00`. */
export function offsetText(timeZone: string, instant: number): string {
  const minutes = Math.round(zoneOffsetAt(timeZone, instant) / MINUTE);
  return `${minutes < 0 ? "-" : "+"}${toTimeOfDay(Math.abs(minutes))}`;
}

/** The time that `text` means: a time on the clock of the zone, or an instant. */
export function readLocalTime(text: string, { timeZone, now }: TimeReader): TimeReading {
  const instant = parseInstant(text);
  if (instant !== undefined) {
    return OFFSET.test(text) && timeZone !== null ? checkOffset(text, instant, timeZone) : { instant, warning: null };
  }
  const [, day = "", clock = "", seconds = "0"] = WALL.exec(text.trim()) ?? [];
  const date = parseDate(day);
  const minute = parseTimeOfDay(clock);
  if (date === null || minute === null || Number(seconds) > 59) {
    return { code: "invalid_format", problem: formatProblem(text, timeZone ?? "UTC", now) };
  }
  return resolveWallTime({ date, minute }, Number(seconds) * 1000, timeZone ?? "UTC");
}

function formatProblem(text: string, timeZone: string, now: number): string {
  const example = `${addDays(wallTimeAt(timeZone, now).date, 1)}T18:00`;
  const problem = parseDate(text.trim())
    ? "has no time of day"
    : "is not a date and a time (get_overview says what day it is)";
  return `${problem}: write it like ${example}, without an offset and with time_zone, or in UTC like ${example}:00Z`;
}

/** An offset that the zone does not have on that day was guessed, and so perhaps was the hour. */
function checkOffset(text: string, instant: number, timeZone: string): TimeReading {
  const given = OFFSET.exec(text)?.[0] ?? "";
  const actual = offsetText(timeZone, instant);
  if (given === actual || (given === "-00:00" && actual === "+00:00")) {
    return { instant, warning: null };
  }
  const clock = text.slice(0, 16).toUpperCase();
  return {
    code: "offset_disagrees",
    problem: `says ${given}, but ${timeZone} has ${actual} then: for ${clock.slice(11)} on the clock there write ${clock} without an offset, or, if the instant is meant, ${toIsoInstant(instant)}`,
  };
}

function resolveWallTime(wall: WallTime, extraMs: number, timeZone: string): TimeReading {
  const [first, second] = instantsOf(timeZone, wall);
  if (first === undefined) {
    const skipped = neighboursOfSkipped(timeZone, wall);
    const after = skipped && wallText(skipped.after);
    return {
      code: "local_time_does_not_exist",
      problem: `does not exist in ${timeZone}: the clock is moved forward from ${skipped && toTimeOfDay(skipped.before.minute)} to ${after}; write ${after} or another time`,
    };
  }
  return {
    instant: first + extraMs,
    warning:
      second === undefined
        ? null
        : {
            code: "local_time_ambiguous",
            message: `${wallText(wall)} occurs twice in ${timeZone}: this is the first, ${offsetText(timeZone, first)}; for the second send ${wallText(wall)}:00${offsetText(timeZone, second)}`,
          },
  };
}

function asInput(read: (text: string) => TimeReading) {
  return z.string().transform((text, ctx): ReadTime => {
    const reading = read(text);
    if ("problem" in reading) {
      ctx.issues.push({ code: "custom", input: text, message: reading.problem, params: { code: reading.code } });
      return z.NEVER;
    }
    return reading;
  });
}

/** The time of a post. */
export function localTimeInput(reader: TimeReader) {
  return asInput((text) => readLocalTime(text, reader));
}

/** The border of a range; a date alone is the whole day. */
export function rangeInput(reader: TimeReader, side: "from" | "until") {
  return asInput((text) => {
    const date = parseDate(text.trim());
    return date === null
      ? readLocalTime(text, reader)
      : {
          instant: startOfDate(reader.timeZone ?? "UTC", side === "from" ? date : addDays(date, 1)),
          warning: null,
        };
  });
}

/** The name of a time zone; offsets and abbreviations are none. */
export const TimeZoneInput = z
  .string()
  .max(64)
  .refine(isTimeZone, {
    message: "must be an IANA time zone such as Europe/Berlin or America/New_York",
    params: { code: "invalid_value" },
  });

/** Today and the next days, so that a model need not count. */
export function daysAhead(timeZone: string, now: number, count: number): string {
  const { date } = wallTimeAt(timeZone, now);
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(date, index);
    return `${WEEKDAYS[weekdayOf(day)]?.slice(0, 3)} ${day}`;
  }).join(", ");
}

/** How long from now, roughly: `in 3 days`. */
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
