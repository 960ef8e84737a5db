import { MINUTE } from "#core/clock.ts";
import type { TargetState, TargetStatus } from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";

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

/** What a caller sees of a target's state; only one that is being verified is told by its history. */
export function targetStatus(state: TargetState, history: readonly StoredAttempt[], now: number): TargetStatus {
  return state === "verifying" && now - doubtfulSince(history, now) > DOUBT_MS ? "unconfirmed" : STATUS[state];
}

/** When the fate of the last visible call became uncertain; what the platform took and works on is in no doubt. */
function doubtfulSince(history: readonly StoredAttempt[], now: number): number {
  const turn = history.findLast(({ outcome }) => outcome === "uncertain" || outcome === "accepted");
  return turn?.outcome === "uncertain" ? turn.at : now;
}

const OPEN = [
  "pending",
  "preparing",
  "processing",
  "committing",
  "verifying",
  "retry_wait",
] as const satisfies TargetState[];

/** Still to be published by the post's next run. */
export function isOpen(state: TargetState): boolean {
  return (OPEN as readonly TargetState[]).includes(state);
}

/** The same as `isOpen`, for statements. */
export const OPEN_STATES = `(${OPEN.map((state) => `'${state}'`).join(", ")})`;
