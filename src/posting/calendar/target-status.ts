import { MINUTE } from "#core/clock.ts";
import type { TargetState, TargetStatus } from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";

/** How long an outcome may be uncertain before the target is shown as unconfirmed. */
const UNCONFIRMED_AFTER_MS = MINUTE;

const STATUS_OF_STATE: Record<TargetState, TargetStatus> = {
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

/** The status that callers see; the history only matters for a target that is being verified. */
export function targetStatus(state: TargetState, history: readonly StoredAttempt[], now: number): TargetStatus {
  return state === "verifying" && now - uncertainSince(history, now) > UNCONFIRMED_AFTER_MS
    ? "unconfirmed"
    : STATUS_OF_STATE[state];
}

/** Since when the outcome of the last visible call is uncertain; what the platform accepted and processes is not uncertain. */
function uncertainSince(history: readonly StoredAttempt[], now: number): number {
  const lastChange = history.findLast(({ outcome }) => outcome === "uncertain" || outcome === "accepted");
  return lastChange?.outcome === "uncertain" ? lastChange.at : now;
}
