import type { LoginErrorCode, TargetErrorCode } from "#core/codes.ts";

/* Refusals of platforms are values and not exceptions, so that the compiler sees every case. */

/** The subject of a fault. Users see it, and statistics count it. */
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

/** The code of a fault. Targets have only codes of the first kind; logins have both. */
export type FaultCode = TargetErrorCode | LoginErrorCode;

/** A definite refusal. The call that returned it has published nothing. */
export interface Fault<Code extends FaultCode = TargetErrorCode> {
  /**
   * What the publisher does next. `reconnect`: nothing until the user logs in again. `rate_limited`: a later try that
   * uses up no attempt. `temporary`: a later try that uses up an attempt (never from `commit`). `rejected`: no further
   * try.
   */
  readonly kind: "reconnect" | "rate_limited" | "temporary" | "rejected";
  /** This service's stable code, from the closed list in src/core/codes.ts. */
  readonly code: Code;
  /** The subject of the fault, independent of `kind`. */
  readonly category: FaultCategory;
  /** One sentence for the owner of the post. It never contains a token or a header. */
  readonly message: string;
  /** The platform's own code as text (`9007/2207027`, `spam_risk_too_many_posts`). Null if it gave none. */
  readonly platformCode: string | null;
  /** The HTTP status of the response. Null if no response arrived. */
  readonly httpStatus: number | null;
  /** How long (s) the platform asks to wait. Absent if the publisher chooses. */
  readonly retryAfterSeconds?: number;
  /** Who can remove the cause. `nobody` means that it ends by itself. */
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** Success or a fault. Whatever the platform or the network does becomes a fault and not an exception. */
export type Result<T, Code extends FaultCode = TargetErrorCode> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault<Code> };
