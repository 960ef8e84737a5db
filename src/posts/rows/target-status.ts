import { MINUTE, SECOND } from "#core/clock.ts";
import type { PostStatus, TargetState, TargetStatus } from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";

/** After this time (ms) with an uncertain outcome, callers see the target as unconfirmed. */
export const UNCONFIRMED_AFTER_MS = MINUTE;
/** How much (ms) the clock of the publishing machine and that of the answering one may differ. */
export const CLOCK_TOLERANCE_MS = SECOND;

export const STATUS_OF_STATE: Record<TargetState, TargetStatus> = {
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

/** The facts that decide the status of a target, besides its state. */
interface TargetCircumstances {
  readonly postStatus: PostStatus;
  readonly nextAttemptAt: number | null;
  /** The attempts so far. Used only for a target that is being verified. */
  readonly history: readonly StoredAttempt[];
  readonly now: number;
}

/**
 * Whether a call may have been sent although the row does not show it yet. The row of a claimed post is written only
 * after the step.
 */
export function mayBeInFlight(
  state: TargetState,
  { postStatus, nextAttemptAt, now }: Omit<TargetCircumstances, "history">,
): boolean {
  const waits = nextAttemptAt !== null && nextAttemptAt > now + CLOCK_TOLERANCE_MS;
  return postStatus === "publishing" && (state === "pending" || state === "retry_wait") && !waits;
}

export function targetStatus(state: TargetState, circumstances: TargetCircumstances): TargetStatus {
  const { history, now } = circumstances;
  if (mayBeInFlight(state, circumstances)) {
    return "processing";
  }
  return state === "verifying" && now - uncertainSince(history, now) > UNCONFIRMED_AFTER_MS
    ? "unconfirmed"
    : STATUS_OF_STATE[state];
}

/**
 * Since when (ms) the outcome of the last visible call is uncertain. A post that the platform has accepted and is
 * processing is not uncertain.
 */
function uncertainSince(history: readonly StoredAttempt[], now: number): number {
  const lastChange = history.findLast(({ outcome }) => outcome === "uncertain" || outcome === "accepted");
  return lastChange?.outcome === "uncertain" ? lastChange.at : now;
}
