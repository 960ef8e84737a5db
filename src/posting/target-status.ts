import { MINUTE } from "#core/clock.ts";
import type { TargetState, TargetStatus } from "#core/status.ts";

/** How long a target may be in doubt before its owner is told so. */
const DOUBT_MS = MINUTE;

const STATUS: Record<TargetState, TargetStatus> = {
  pending: "pending",
  retry_wait: "pending",
  preparing: "processing",
  processing: "processing",
  committing: "processing",
  verifying: "processing",
  published: "published",
  failed: "failed",
  unconfirmed: "unconfirmed",
  skipped: "skipped",
};

/** What a caller sees of a target's state; `since` is when the row last changed. */
export function targetStatus(state: TargetState, since: number, now: number): TargetStatus {
  return state === "verifying" && now - since > DOUBT_MS ? "unconfirmed" : STATUS[state];
}

/** Ended and never touched again, not even by an edit. */
export function isSettled(state: TargetState): boolean {
  return state === "published" || state === "unconfirmed";
}

/** Still to be published by the post's next run. */
export function isOpen(state: TargetState): boolean {
  return !isSettled(state) && state !== "failed" && state !== "skipped";
}

/** The same as `isOpen`, for statements. */
export const OPEN_STATES = "('pending', 'preparing', 'processing', 'committing', 'verifying', 'retry_wait')";
