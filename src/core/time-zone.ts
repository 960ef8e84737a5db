const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_CACHED_FORMATS = 100;

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) {
    return cached;
  }
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= MAX_CACHED_FORMATS) {
    formats.clear();
  }
  formats.set(timeZone, format);
  return format;
}

/** Whether a name is an IANA time zone (`Europe/Berlin`, `UTC`). An offset (`+02:00`) is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) {
    return false;
  }
  try {
    formatFor(name);
    return true;
  } catch {
    return false;
  }
}

/** The UTC offset (ms) of a time zone at an instant. */
export function zoneOffsetAt(timeZone: string, instant: number): number {
  // Most programs use UTC. Without this shortcut, the `Intl` calls take more than half of the time of a posts summary.
  if (timeZone === "UTC") {
    return 0;
  }
  const wholeSecond = Math.floor(instant / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatFor(timeZone).formatToParts(wholeSecond)) {
    parts[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecond;
}
