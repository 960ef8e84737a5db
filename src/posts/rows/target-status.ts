import { MINUTE, SECOND } from "#core/clock.ts";
import type { PostStatus, TargetState, TargetStatus } from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";

/** How long an outcome may be uncertain before the target is shown as unconfirmed. */
export const UNCONFIRMED_AFTER_MS = MINUTE;
/** The clocks of the machine that publishes and the one that answers may differ by this much. */
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

/** What the status of a target depends on beside its state. */
interface TargetCircumstances {
  readonly postStatus: PostStatus;
  readonly nextAttemptAt: number | null;
  /** Only matters for a target that is being verified. */
  readonly history: readonly StoredAttempt[];
  readonly now: number;
}

/**
 * Whether a call may have left although the row does not say so yet: a claimed post's row is written only after the step.
 */
export function mayBeInFlight(
  state: TargetState,
  { postStatus, nextAttemptAt, now }: Omit<TargetCircumstances, "history">,
): boolean {
  const waits = nextAttemptAt !== null && nextAttemptAt > now + CLOCK_TOLERANCE_MS;
  return postStatus === "publishing" && (state === "pending" || state === "retry_wait") && !waits;
}

/** The status that callers see. */
export function targetStatus(state: TargetState, circumstances: TargetCircumstances): TargetStatus {
  const { history, now } = circumstances;
  if (mayBeInFlight(state, circumstances)) {
    return "processing";
  }
  return state === "verifying" && now - uncertainSince(history, now) > UNCONFIRMED_AFTER_MS
    ? "unconfirmed"
    : STATUS_OF_STATE[state];
}

/** Since when the outcome of the last visible call is uncertain; what the platform accepted and processes is not uncertain. */
function uncertainSince(history: readonly StoredAttempt[], now: number): number {
  const lastChange = history.findLast(({ outcome }) => outcome === "uncertain" || outcome === "accepted");
  return lastChange?.outcome === "uncertain" ? lastChange.at : now;
}
