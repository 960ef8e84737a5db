import { MINUTE, toIsoInstant } from "#core/clock.ts";
import type { DetailCode, WarningCode } from "#core/codes.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import {
  instantsOf,
  neighboursOfSkipped,
  parseDate,
  parseTimeOfDay,
  toTimeOfDay,
  type WallTime,
} from "#core/wall-time.ts";
import { parseInstant } from "./instant.ts";

export interface TimeWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** A time that was read, with a warning if the caller should know something about it. */
export interface ReadTime {
  readonly instant: number;
  readonly warning: TimeWarning | null;
}

export type TimeReading = ReadTime | { readonly code: DetailCode; readonly problem: string };

const WALL = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const OFFSET = /[+-]\d{2}:\d{2}$/;
/** Writes a local time as `2026-12-24T19:00`. */
export function wallText({ date, minute }: WallTime): string {
  return `${date}T${toTimeOfDay(minute)}`;
}

/** Writes the UTC offset of a zone at an instant, such as `+01:00`. */
export function offsetText(timeZone: string, instant: number): string {
  const minutes = Math.round(zoneOffsetAt(timeZone, instant) / MINUTE);
  return `${minutes < 0 ? "-" : "+"}${toTimeOfDay(Math.abs(minutes))}`;
}

/**
 * Reads a local time in a zone, or an instant; null if the text is neither. Without a zone (null), an instant's offset
 * is not checked, and a local time counts as UTC.
 */
export function readLocalTime(text: string, timeZone: string | null): TimeReading | null {
  const instant = parseInstant(text);
  if (instant !== undefined) {
    return OFFSET.test(text) && timeZone !== null ? checkOffset(text, instant, timeZone) : { instant, warning: null };
  }
  const [, day = "", clock = "", seconds = "0"] = WALL.exec(text.trim()) ?? [];
  const date = parseDate(day);
  const minute = parseTimeOfDay(clock);
  return date === null || minute === null || Number(seconds) > 59
    ? null
    : resolveWallTime({ date, minute }, Number(seconds) * 1000, timeZone ?? "UTC");
}

/** Warns if the zone does not have the given offset on that day: the caller guessed it, and perhaps the hour too. */
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
      problem: `does not exist in ${timeZone}: the clock is moved forward from ${skipped && toTimeOfDay(skipped.before.minute)} to ${after}; write ${after} or ${skipped && wallText(skipped.before)}, or another time`,
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
