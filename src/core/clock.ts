/** Gives the time in milliseconds since 1970 (UTC). It is passed in so that tests control it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An instant as the API writes it: ISO 8601, UTC, with milliseconds. */
export function toIsoInstant(ms: number): string {
  return new Date(ms).toISOString();
}
