import { refuse } from "./errors.ts";
import { LIMIT_NAMES, type LimitKey } from "./plan.ts";

/** A limit that a call would exceed. */
export interface ExceededQuota {
  readonly key: LimitKey;
  readonly limit: number;
  readonly used: number;
  /** What the limit counts, for the message: `scheduled posts`. */
  readonly what: string;
  /** A sentence that says what the user can do now. */
  readonly nextStep: string;
  /** After how many seconds the call is possible again. Set only if waiting helps. */
  readonly retryAfterSeconds?: number;
}

/** Refuses a call that exceeds a limit. The message names the limit and its use. If waiting helps, the refusal is a rate limit. */
export function refuseQuota({ key, limit, used, what, nextStep, retryAfterSeconds }: ExceededQuota): never {
  const message = `your limit is ${limit} ${what}, and ${used} are used: ${nextStep}`;
  refuse({
    code: retryAfterSeconds === undefined ? "quota_exceeded" : "rate_limited",
    message,
    details: [{ code: "quota_exceeded", message: LIMIT_NAMES[key], limit, actual: used }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
