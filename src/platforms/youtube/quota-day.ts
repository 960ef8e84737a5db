import { DAY, HOUR, SECOND } from "#core/clock.ts";

const PACIFIC = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/Los_Angeles",
  hourCycle: "h23",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});

/** The first requests after midnight have been refused still. */
const SLACK_SECONDS = 60;

/** A day's quota ends at midnight in California, on days of 23 and 25 hours too. */
export function secondsToNextQuota(now: number): number {
  const guess = now + DAY - sinceMidnight(now);
  const off = sinceMidnight(guess);
  const midnight = off > 12 * HOUR ? guess + DAY - off : guess - off;
  return Math.ceil((midnight - now) / SECOND) + SLACK_SECONDS;
}

function sinceMidnight(instant: number): number {
  const parts = new Map(PACIFIC.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return ((of("hour") * 60 + of("minute")) * 60 + of("second")) * SECOND + (instant % SECOND);
}
