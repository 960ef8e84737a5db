import { type CalendarDate, wallTimeAt, toTimeOfDay } from "#core/wall-time.ts";
import type { PageContext } from "#dashboard/request/env.ts";

/** How a person reads dates and times. The user has chosen the zone; the rest follows the browser's language. */
export interface Display {
  readonly timeZone: string;
  readonly hour12: boolean;
  /** The first day of the week: 0 is Monday, 6 is Sunday. */
  readonly firstWeekday: number;
}

const DEFAULT_LANGUAGE = "en-GB";

/**
 * The first language that the browser prefers. A language without a region gets its largest region, which decides
 * formats.
 */
function browserLocale(acceptLanguage: string | undefined): Intl.Locale {
  const first = acceptLanguage?.split(",")[0]?.split(";")[0]?.trim() ?? "";
  try {
    const { language, region } = new Intl.Locale(first).maximize();
    return new Intl.Locale(region === undefined ? language : `${language}-${region}`);
  } catch {
    return new Intl.Locale(DEFAULT_LANGUAGE);
  }
}

/**
 * The first day of the week in a region. The cast is necessary, because TypeScript's library does not know the
 * runtime's `getWeekInfo`.
 */
function firstWeekdayOf(locale: Intl.Locale): number {
  return ((locale as Intl.Locale & { getWeekInfo(): { firstDay: number } }).getWeekInfo().firstDay - 1) % 7;
}

/** How dates and times are written in the first language of an `Accept-Language` header. */
export function readDisplay(timeZone: string, acceptLanguage: string | undefined): Display {
  const locale = browserLocale(acceptLanguage);
  const { hourCycle } = new Intl.DateTimeFormat(locale.toString(), { hour: "numeric" }).resolvedOptions();
  return { timeZone, hour12: hourCycle === "h12" || hourCycle === "h11", firstWeekday: firstWeekdayOf(locale) };
}

/** How dates and times are written for the signed-in person. */
export function displayOf(c: PageContext): Display {
  return readDisplay(c.var.signedIn.timeZone, c.req.header("accept-language"));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * A date format for pages, which are in English: `en-GB` orders day and month unambiguously. Formats are kept, because
 * creating one costs more than the rest of a page.
 */
function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", options);
  formats.set(key, format);
  return format;
}

type Clock = Pick<Display, "timeZone" | "hour12">;

/** Writes a time as `09:05` or `9:05 am`. */
export function formatTime({ timeZone, hour12 }: Clock, instant: number): string {
  return formatTimeOfDay({ hour12 }, wallTimeAt(timeZone, instant).minute);
}

/** Writes minutes since midnight as `09:05` or `9:05 am`. */
export function formatTimeOfDay({ hour12 }: Pick<Display, "hour12">, minute: number): string {
  if (!hour12) {
    return toTimeOfDay(minute);
  }
  const hour = Math.floor(minute / 60);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${toTimeOfDay(minute).slice(3)} ${hour < 12 ? "am" : "pm"}`;
}

/**
 * Writes a date in words. `short` is `3 Dec`, `medium` is `Thu, 3 Dec 2026`, `long` is `Thursday 3 December 2026`,
 * `month` is `December 2026`.
 */
export function formatDate(date: CalendarDate, style: "short" | "medium" | "long" | "month"): string {
  return formatOf({ ...DATE_STYLES[style], timeZone: "UTC" }).format(Date.parse(`${date}T00:00:00Z`));
}

const DATE_STYLES = {
  short: { day: "numeric", month: "short" },
  medium: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  long: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
  month: { month: "long", year: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Writes an instant as `Thu, 3 Dec 2026, 09:05`. */
export function formatDateTime(display: Clock, instant: number): string {
  return `${formatDate(wallTimeAt(display.timeZone, instant).date, "medium")}, ${formatTime(display, instant)}`;
}

/** Writes an instant to the second, `Thu, 3 Dec 2026, 09:05:07`, for events that are seconds apart. */
export function formatExactly(display: Display, instant: number): string {
  const [clock = "", half] = formatTime(display, instant).split(" ");
  const second = String(Math.floor(instant / 1000) % 60).padStart(2, "0");
  const date = formatDate(wallTimeAt(display.timeZone, instant).date, "medium");
  return `${date}, ${clock}:${second}${half === undefined ? "" : ` ${half}`}`;
}

/** Writes a time zone as `Europe/Berlin (UTC+01:00)`. The offset tells the two times of a repeated hour apart. */
export function formatZone(timeZone: string, instant: number): string {
  const name = timeZone.replaceAll("_", " ");
  if (timeZone === "UTC") {
    return name;
  }
  const parts = formatOf({ timeZone, timeZoneName: "longOffset" }).formatToParts(instant);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "";
  return `${name} (${offset === "UTC" ? "UTC+00:00" : offset})`;
}
