import { HOUR, MINUTE, SECOND } from "#core/clock.ts";

/** The waits (ms) after the first failure, the second, and so on. After the last one the delivery is given up. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/**
 * By which share each wait is randomly shorter or longer, so that deliveries that failed together do not retry
 * together.
 */
const JITTER = 0.2;

/**
 * When (ms) a delivery is tried again after `failures` failed tries. Null if it is given up. A longer `Retry-After` of
 * the receiver replaces the wait.
 */
export function nextTryAt(input: {
  readonly failures: number;
  readonly now: number;
  readonly retryAfterMs: number | null;
  /** A random number in [0, 1). */
  readonly random: number;
}): number | null {
  // mutant: quick-retries
  const delayMs = RETRY_DELAYS_MS[input.failures - 1];
  if (delayMs === undefined) {
    return null;
  }
  const spreadMs = Math.round(delayMs * (1 + JITTER * (2 * input.random - 1)));
  return input.now + Math.max(spreadMs, input.retryAfterMs ?? 0);
}
