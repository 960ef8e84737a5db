import { DAY } from "#core/clock.ts";

const FAILING_FOR_MS = 5 * DAY;
const MIN_FAILED_EVENTS = 20;

/** What failed since the last success. */
export interface FailureRecord {
  /** When the first try failed; null without a failure. */
  readonly failingSince: number | null;
  /** How many events had a failed try. */
  readonly failedEvents: number;
}

/** Whether a webhook is disabled because nothing but failures came back for days; a quiet one is given the events to be sure. */
export function isFailing({ failingSince, failedEvents }: FailureRecord, now: number): boolean {
  return failingSince !== null && now - failingSince >= FAILING_FOR_MS && failedEvents >= MIN_FAILED_EVENTS;
}
