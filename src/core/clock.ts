/** Gives the present time in milliseconds since 1970 (UTC). Callers pass it in, so that tests control the time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Writes an instant as the API does: ISO 8601, UTC, with milliseconds. */
export function toIsoInstant(ms: number): string {
  return new Date(ms).toISOString();
}
