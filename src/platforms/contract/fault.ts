import type { LoginErrorCode, TargetErrorCode } from "#core/codes.ts";

/* Refusals are values, not exceptions. */

/** What the fault is about. Users see it, and statistics count it. */
export type FaultCategory =
  | "auth"
  | "content"
  | "duplicate"
  | "media"
  | "permission"
  | "rate_limit"
  | "quota"
  | "billing"
  | "platform"
  | "internal";

/** A target can show the first kind of code; only a login has the second. */
export type FaultCode = TargetErrorCode | LoginErrorCode;

/** A definite refusal: the call that returned it published nothing. */
export interface Fault<Code extends FaultCode = TargetErrorCode> {
  /**
   * Decides what the publisher does. `reconnect`: nothing until the user logs in again. `rate_limited`: tries again later
   * and uses up no attempt. `temporary`: tries again later and uses up an attempt (never from `commit`). `rejected`: does
   * not try again.
   */
  readonly kind: "reconnect" | "rate_limited" | "temporary" | "rejected";
  /** Our own stable code, from the closed list in src/core/codes.ts. */
  readonly code: Code;
  /** What the fault is about; independent of `kind`. */
  readonly category: FaultCategory;
  /** One sentence for the post's owner; never contains a token or a header. */
  readonly message: string;
  /** The platform's own code as text (`9007/2207027`, `spam_risk_too_many_posts`); null when it gave none. */
  readonly platformCode: string | null;
  /** Status of the response; null when no response arrived. */
  readonly httpStatus: number | null;
  /** The wait that the platform demanded; absent: the publisher chooses it. */
  readonly retryAfterSeconds?: number;
  /** Who can remove the cause; `nobody`: it passes by itself. */
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** Success or a fault. Whatever the platform or the network does is a fault, not an exception. */
export type Result<T, Code extends FaultCode = TargetErrorCode> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault<Code> };
