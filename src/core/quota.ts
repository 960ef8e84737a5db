import { refuse } from "./errors.ts";
import { LIMIT_NAMES, type LimitKey } from "./plan.ts";

/** Describes a limit that a call would exceed. */
export interface ExceededQuota {
  readonly key: LimitKey;
  readonly limit: number;
  readonly used: number;
  /** What the limit counts, in words for the message, such as `scheduled posts`. */
  readonly what: string;
  /** A sentence that says what the user can do now. */
  readonly nextStep: string;
  /** After how many seconds the call is possible again. Absent if waiting does not help. */
  readonly retryAfterSeconds?: number;
}

/**
 * Refuses a call that exceeds a limit, and names the limit and its use. If waiting helps, the refusal is a rate limit.
 */
export function refuseQuota({ key, limit, used, what, nextStep, retryAfterSeconds }: ExceededQuota): never {
  const message = `your limit is ${limit} ${what}, and ${used} are used: ${nextStep}`;
  refuse({
    code: retryAfterSeconds === undefined ? "quota_exceeded" : "rate_limited",
    message,
    details: [{ code: "quota_exceeded", message: LIMIT_NAMES[key], limit, actual: used }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
