import type { TargetErrorCode } from "#core/codes.ts";
import type { TargetStatus } from "#core/status.ts";
import type { StoredExtra } from "#db/schema.ts";
import type { FaultCategory } from "#platforms/contract.ts";

/* What a target tells of the platform's answers. */

export interface TargetError {
  readonly code: TargetErrorCode;
  readonly category: FaultCategory;
  readonly message: string;
  readonly platformCode: string | null;
  readonly retryable: boolean;
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** A part of a thread. */
export interface ThreadPart {
  /** From 0, which is the post itself. */
  readonly index: number;
  readonly status: TargetStatus;
  readonly platformPostId: string | null;
  readonly url: string | null;
}

/** What became of something that was added to a post once it was public. */
export interface TargetExtra extends Omit<StoredExtra, "error"> {
  readonly error: TargetError | null;
}
