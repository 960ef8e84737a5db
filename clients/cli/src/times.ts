import { parse, type ParsedComponents } from "chrono-node";
import { Temporal } from "temporal-polyfill";
import { CommandError } from "./exit-codes.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time zone of this computer, or the one that was asked for. */
export function timeZoneOf(requested: string | undefined): string {
  const zone = requested ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return Temporal.Now.zonedDateTimeISO(zone).timeZoneId;
  } catch {
    throw new CommandError(
      "usage",
      "unknown_time_zone",
      `${zone} is no time zone: write one as Europe/Berlin or America/New_York`,
    );
  }
}

function offsetMinutes(epochMs: number, zone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).offsetNanoseconds / 60e9;
}

export function isNow(text: string): boolean {
  return /^now$/i.test(text.trim());
}

/**
 * The instant that words mean in a time zone: "tomorrow 9:00", "friday 18:30", "in 2 hours", "2026-12-24 18:00". Words without a
 * time of day are refused, because a guess would publish at a time that nobody chose; `dayIsEnough` takes the begin of the day.
 */
export function parseTime(text: string, zone: string, nowMs: number, { dayIsEnough = false } = {}): number {
  const words = text.trim();
  if (isNow(words)) {
    return nowMs;
  }
  const [found, ...others] = parse(
    words,
    { instant: new Date(nowMs), timezone: offsetMinutes(nowMs, zone) },
    { forwardDate: true },
  );
  if (!found || others.length > 0 || found.text.length < words.length) {
    throw new CommandError(
      "usage",
      "unclear_time",
      `the time "${words}" is not clear: write for example "tomorrow 9:00", "friday 18:30", "in 2 hours" or "2026-12-24 18:00"`,
    );
  }
  const { start } = found;
  refuseAmbiguousDate(words, start);
  if (!start.isCertain("hour") && dayIsEnough) {
    const [year, month, day] = [start.get("year") ?? 0, start.get("month") ?? 1, start.get("day") ?? 1];
    return Temporal.PlainDate.from({ year, month, day }).toZonedDateTime(zone).epochMilliseconds;
  }
  if (!start.isCertain("hour")) {
    throw new CommandError(
      "usage",
      "time_of_day_missing",
      `"${words}" has no time of day: write for example "${words} 9:00"`,
    );
  }
  const isRelative =
    /\b(?:in|ago|from now|later)\b/i.test(found.text) && /(?:sec|min|hour|\bh\b|\bm\b)/i.test(found.text);
  if (isRelative || start.isCertain("timezoneOffset")) {
    return start.date().getTime();
  }
  const local = Temporal.PlainDateTime.from({
    year: start.get("year") ?? 0,
    month: start.get("month") ?? 1,
    day: start.get("day") ?? 1,
    hour: start.get("hour") ?? 0,
    minute: start.get("minute") ?? 0,
    second: start.get("second") ?? 0,
  });
  return onClock(local, zone);
}

const TWO_NUMBERS = /(?<![\d:./-])(\d{1,2})([./-])(\d{1,2})(?:\2(?:\d{4}|\d{2}))?(?![\d:])/;

/** Half of the world writes the day first: of two numbers that could each be the month nobody knows which one is. */
function refuseAmbiguousDate(words: string, start: ParsedComponents): void {
  const [, first, , second] = TWO_NUMBERS.exec(words) ?? [];
  const [one, other] = [Number(first), Number(second)];
  const [month, day] = [start.get("month"), start.get("day")];
  const isDate = (month === one && day === other) || (month === other && day === one);
  if (first === undefined || !isDate || one === other || one > 12 || other > 12) {
    return;
  }
  const reading = (monthOf: number, dayOf: number) => {
    const date = Temporal.PlainDate.from({ year: start.get("year") ?? 0, month: monthOf, day: dayOf });
    return `"${date.toString()}${start.isCertain("hour") ? ` ${timeText(start)}` : ""}"`;
  };
  throw new CommandError(
    "usage",
    "ambiguous_date",
    `"${words}" can be two days: write ${reading(other, one)} if the day comes first, or ${reading(one, other)} if the month does`,
  );
}

function timeText(start: ParsedComponents): string {
  const time = Temporal.PlainTime.from({ hour: start.get("hour") ?? 0, minute: start.get("minute") ?? 0 });
  return time.toString({ smallestUnit: "minute" });
}

/** The instant of a time on the clock of the zone; refused where the clock shows it twice or not at all. */
function onClock(local: Temporal.PlainDateTime, zone: string): number {
  const [first, second] = (["earlier", "later"] as const).map((disambiguation) =>
    local.toZonedDateTime(zone, { disambiguation }),
  );
  if (first === undefined || second === undefined || first.equals(second)) {
    return local.toZonedDateTime(zone).epochMilliseconds;
  }
  const minutes = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: "minute" });
  const asked = minutes(local).replace("T", " ");
  if (first.toPlainDateTime().equals(local)) {
    throw new CommandError(
      "usage",
      "ambiguous_time",
      `the clock of ${zone} shows ${asked} twice: write "${minutes(local)}${first.offset}" for the first time, or "${minutes(local)}${second.offset}" for the second`,
    );
  }
  throw new CommandError(
    "usage",
    "skipped_time",
    `the clock of ${zone} never shows ${asked}, because it is moved forward: write "${minutes(second.toPlainDateTime()).replace("T", " ")}" or "${minutes(first.toPlainDateTime()).replace("T", " ")}"`,
  );
}

/** Minutes from "30", "90m", "2h" or "1d", with a sign for earlier. */
export function parseMinutes(text: string): number {
  const match = /^([+-]?)(\d{1,6})\s*(m|min|minutes?|h|hours?|d|days?)?$/i.exec(text.trim());
  if (!match) {
    throw new CommandError(
      "usage",
      "unclear_duration",
      `"${text}" is no duration: write for example 30m, 2h, 1d or -15m`,
    );
  }
  const [, sign, count, unit = "m"] = match;
  const factor = { m: 1, h: 60, d: 24 * 60 }[unit.charAt(0).toLowerCase() as "m" | "h" | "d"];
  return (sign === "-" ? -1 : 1) * Number(count) * factor;
}

/** How times are shown: always in one zone, which is always named. */
export class Clock {
  readonly zone: string;
  readonly now: () => number;
  readonly #long: Intl.DateTimeFormat;
  readonly #short: Intl.DateTimeFormat;

  constructor(zone: string, now: () => number = Date.now) {
    this.zone = zone;
    this.now = now;
    const common = { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    this.#long = new Intl.DateTimeFormat("en-GB", {
      ...common,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZoneName: "shortOffset",
    });
    this.#short = new Intl.DateTimeFormat("en-GB", { ...common, weekday: "short", day: "2-digit", month: "short" });
  }

  /** `Thu 24 Dec 2026, 19:00 Europe/Berlin (GMT+1)`. */
  full(iso: string): string {
    const parts = partsOf(this.#long, iso);
    return `${parts.weekday} ${parts.day} ${parts.month} ${parts.year}, ${parts.hour}:${parts.minute} ${this.zone} (${parts.timeZoneName})`;
  }

  /** `Thu 24 Dec 19:00`, for a column whose title names the zone. */
  short(iso: string): string {
    const parts = partsOf(this.#short, iso);
    const year = this.dayOf(iso).slice(0, 4);
    return `${parts.weekday} ${parts.day} ${parts.month}${year === this.dayOf(this.now()).slice(0, 4) ? "" : ` ${year}`} ${parts.hour}:${parts.minute}`;
  }

  /** The time of a preview, which is `now` until the confirm. */
  planned(time: string): string {
    return time === "now" ? "now, as soon as it is confirmed" : `${this.full(time)}, ${this.distance(time)}`;
  }

  timeOfDay(iso: string): string {
    const parts = partsOf(this.#short, iso);
    return `${parts.hour}:${parts.minute}`;
  }

  /** `2026-12-24`, in the zone. */
  dayOf(instant: string | number): string {
    return Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
      .toZonedDateTimeISO(this.zone)
      .toPlainDate()
      .toString();
  }

  /** The first instant of a day of the zone. */
  startOfDay(day: string): number {
    return Temporal.PlainDate.from(day).toZonedDateTime(this.zone).epochMilliseconds;
  }

  /** `in 3 hours`, `2 days ago`. */
  distance(iso: string): string {
    const ms = Date.parse(iso) - this.now();
    const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    const size = Math.abs(ms);
    if (size < HOUR_MS) {
      return format.format(Math.round(ms / MINUTE_MS), "minute");
    }
    return size < 2 * DAY_MS
      ? format.format(Math.round(ms / HOUR_MS), "hour")
      : format.format(Math.round(ms / DAY_MS), "day");
  }
}

type Part = "weekday" | "day" | "month" | "year" | "hour" | "minute" | "timeZoneName";

function partsOf(format: Intl.DateTimeFormat, iso: string): Record<Part, string> {
  const parts = format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value] as const);
  return Object.fromEntries(parts) as Record<Part, string>;
}
