import type { DetailCode, RefusalCode } from "./codes.ts";
import type { MessageParts } from "./message-parts.ts";
import type { Platform } from "./platform.ts";
import type { ApprovalState } from "./status.ts";

/** One of possibly several problems; `limit` and `actual` are in the unit that `message` names. */
export interface RefusalDetail {
  readonly code: DetailCode;
  readonly message: string;
  /** The message for pages; absent where it names no member of the request and no time. */
  readonly parts?: MessageParts;
  readonly param?: string;
  /** Which of many posts, from 1. */
  readonly row?: number;
  readonly accountId?: string;
  readonly platform?: Platform;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

/** The approval that a refused confirm waits for, or what became of it. */
export interface ApprovalReference {
  readonly id: string;
  /** The page on which the signed-in person decides; it contains no secret. */
  readonly url: string;
  readonly state: ApprovalState;
  readonly expiresAt: number;
  /** The person's words on declining. */
  readonly note: string | null;
}

export interface Refusal {
  readonly code: RefusalCode;
  /** A sentence the user can act on; never contains secrets or data of another user. */
  readonly message: string;
  readonly param?: string;
  /** Every problem found, not only the first. */
  readonly details?: readonly RefusalDetail[];
  /** The posts the refusal is about (a token already used, posts that changed). */
  readonly postIds?: readonly string[];
  readonly approval?: ApprovalReference;
  readonly retryAfterSeconds?: number;
}

/** An expected refusal; anything else that is thrown is a bug and answered as an internal error. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    // Nobody reads the stack of a refusal, and to write it down costs more than most refusals.
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
