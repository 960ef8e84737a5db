/** Time is handed in, so that tests move it by hand. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The contract's spelling of an instant: UTC, milliseconds, `Z`. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
