import type { DetailCode, RefusalCode } from "./codes.ts";
import type { MessageParts } from "./message-parts.ts";
import type { Platform } from "./platform.ts";
import type { ApprovalState } from "./status.ts";

/** One problem of a refused request. `message` names the unit of `limit` and `actual`. */
export interface RefusalDetail {
  readonly code: DetailCode;
  readonly message: string;
  /** The same message in parts, for pages. Absent if the message names no member of the request and no time. */
  readonly parts?: MessageParts;
  readonly param?: string;
  /** Which post of a bulk request has the problem, counted from 1. */
  readonly row?: number;
  readonly accountId?: string;
  readonly platform?: Platform;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

/** The approval that a refused confirm waits for, or the person's decision about it. */
export interface ApprovalReference {
  readonly id: string;
  /** The page on which the signed-in person decides. The URL contains no secret. */
  readonly url: string;
  readonly state: ApprovalState;
  readonly expiresAt: number;
  /** What the person wrote when declining; null without a note. */
  readonly note: string | null;
}

export interface Refusal {
  readonly code: RefusalCode;
  /** A sentence that says what the caller can do. It never contains secrets or data of another user. */
  readonly message: string;
  readonly param?: string;
  /** Every problem that was found, so that the caller can correct all of them at once. */
  readonly details?: readonly RefusalDetail[];
  /** The posts that the refusal concerns: those that a used token created, or those that have changed. */
  readonly postIds?: readonly string[];
  readonly approval?: ApprovalReference;
  readonly retryAfterSeconds?: number;
}

/** An expected refusal of a request. Any other thrown error is a bug, and the caller gets an internal error. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    // Record no stack: nobody reads the stack of a refusal, and recording it takes longer than most refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(refusal.message);
    Error.stackTraceLimit = stackTraceLimit;
    this.refusal = refusal;
  }
}

export function refuse(refusal: Refusal): never {
  throw new RefusalError(refusal);
}
