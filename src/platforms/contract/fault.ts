import type { LoginErrorCode, TargetErrorCode } from "#core/codes.ts";

/* A refusal, as a value. */

/** The subject of a fault, as shown to users and counted in statistics. */
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

/** The codes a fault can have: those a target shows, and those only a login has. */
export type FaultCode = TargetErrorCode | LoginErrorCode;

/** A definite refusal: the call that returned it published nothing. */
export interface Fault<Code extends FaultCode = TargetErrorCode> {
  /**
   * What the publisher does. `reconnect`: fails until the user logs in again. `rate_limited`: tries again later without using
   * up an attempt. `temporary`: tries again later and uses up an attempt (never from `commit`). `rejected`: is not tried again.
   */
  readonly kind: "reconnect" | "rate_limited" | "temporary" | "rejected";
  /** Our own stable code, from the closed list in src/core/codes.ts. */
  readonly code: Code;
  /** The subject; independent of `kind`. */
  readonly category: FaultCategory;
  /** One sentence for the post's owner; never contains a token or a header. */
  readonly message: string;
  /** The platform's own code as text (`9007/2207027`, `spam_risk_too_many_posts`); null when it gave none. */
  readonly platformCode: string | null;
  /** Status of the response; null when no response arrived. */
  readonly httpStatus: number | null;
  /** The wait that the platform asked for; absent means that the publisher chooses it. */
  readonly retryAfterSeconds?: number;
  /** Who can remove the cause; `nobody` when waiting removes it. */
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** Success or a fault, as values: whatever the platform or the network does is a fault, not an exception. */
export type Result<T, Code extends FaultCode = TargetErrorCode> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault<Code> };
