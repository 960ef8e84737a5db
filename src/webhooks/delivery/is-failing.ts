import { DAY } from "#core/clock.ts";

const FAILING_FOR_MS = 5 * DAY;
const MIN_FAILED_EVENTS = 20;

/** The failures of a webhook since its last success. */
export interface FailureRecord {
  /** When (ms) the first of these tries failed. Null without a failure. */
  readonly failingSince: number | null;
  /** How many events had a failed try. */
  readonly failedEvents: number;
}

/**
 * Whether to disable a webhook: all tries failed for days, and enough events failed. A webhook with few events gets
 * more time.
 */
export function isFailing({ failingSince, failedEvents }: FailureRecord, now: number): boolean {
  return failingSince !== null && now - failingSince >= FAILING_FOR_MS && failedEvents >= MIN_FAILED_EVENTS;
}
