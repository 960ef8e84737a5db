import { DAY } from "#core/clock.ts";

const FAILING_FOR_MS = 5 * DAY;
const MIN_FAILED_EVENTS = 20;

/** The failures since the last success. */
export interface FailureRecord {
  /** When the first try failed; null without a failure. */
  readonly failingSince: number | null;
  /** How many events had a failed try. */
  readonly failedEvents: number;
}

/** Whether to disable a webhook: all tries failed for days, and enough events failed. A webhook with few events gets more time. */
export function isFailing({ failingSince, failedEvents }: FailureRecord, now: number): boolean {
  return failingSince !== null && now - failingSince >= FAILING_FOR_MS && failedEvents >= MIN_FAILED_EVENTS;
}
