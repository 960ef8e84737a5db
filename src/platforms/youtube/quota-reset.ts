import { DAY, HOUR, SECOND } from "#core/clock.ts";

const PACIFIC_TIME = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/Los_Angeles",
  hourCycle: "h23",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});

/** The first requests after midnight have still been refused. */
const RESET_MARGIN_SECONDS = 60;

/** The daily quota resets at midnight Pacific time, also on days of 23 or 25 hours. */
export function secondsUntilQuotaReset(now: number): number {
  const estimate = now + DAY - msSinceMidnight(now);
  const offset = msSinceMidnight(estimate);
  const midnight = offset > 12 * HOUR ? estimate + DAY - offset : estimate - offset;
  return Math.ceil((midnight - now) / SECOND) + RESET_MARGIN_SECONDS;
}

function msSinceMidnight(instant: number): number {
  const parts = new Map(PACIFIC_TIME.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return ((part("hour") * 60 + part("minute")) * 60 + part("second")) * SECOND + (instant % SECOND);
}
