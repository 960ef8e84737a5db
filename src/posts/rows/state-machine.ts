import { HOUR } from "#core/clock.ts";
import type { PostStatus, TargetState } from "#core/status.ts";

export type PostEvent =
  | "edit"
  | "reschedule"
  | "cancel"
  | "stop_retry"
  | "pause"
  | "resume"
  | "claim"
  | "miss_window"
  | "all_published"
  | "some_published"
  | "none_published"
  | "not_found"
  | "wait"
  | "reopen";

/** The state machine of a post. An event without an entry cannot happen in that status. */
export const POST_TRANSITIONS: Record<PostStatus, Partial<Record<PostEvent, PostStatus>>> = {
  scheduled: {
    edit: "scheduled",
    reschedule: "scheduled",
    cancel: "cancelled",
    stop_retry: "partially_failed",
    pause: "paused",
    claim: "publishing",
    miss_window: "failed",
  },
  paused: {
    edit: "paused",
    reschedule: "scheduled",
    cancel: "cancelled",
    stop_retry: "partially_failed",
    resume: "scheduled",
  },
  publishing: {
    all_published: "published",
    some_published: "partially_failed",
    none_published: "failed",
    not_found: "paused",
    wait: "scheduled",
  },
  failed: { reopen: "scheduled" },
  partially_failed: { reopen: "scheduled" },
  published: {},
  cancelled: {},
};

/** How long (ms) after the due time the publisher still tries a target again. */
export const RETRY_DEADLINE_MS = 2 * HOUR;

/** The state machine of a target within one run. Only an edit of the post changes `failed` to `pending`. */
export const TARGET_TRANSITIONS: Record<TargetState, readonly TargetState[]> = {
  pending: ["preparing", "processing", "committing", "verifying", "retry_wait", "published", "failed", "skipped"],
  preparing: ["preparing", "processing", "committing", "verifying", "retry_wait", "published", "failed"],
  processing: ["preparing", "processing", "committing", "verifying", "retry_wait", "published", "failed"],
  committing: ["preparing", "verifying", "retry_wait", "published", "failed"],
  verifying: ["preparing", "verifying", "retry_wait", "published", "failed", "unconfirmed"],
  retry_wait: ["preparing", "processing", "committing", "verifying", "retry_wait", "published", "failed"],
  failed: ["pending"],
  published: [],
  unconfirmed: [],
  skipped: [],
};

const TERMINAL_STATES: ReadonlySet<TargetState> = new Set(["published", "failed", "unconfirmed", "skipped"]);

export function isTerminal(state: TargetState): boolean {
  return TERMINAL_STATES.has(state);
}

const OPEN_STATES = [
  "pending",
  "preparing",
  "processing",
  "committing",
  "verifying",
  "retry_wait",
] as const satisfies TargetState[];

/** Whether the next run of the post still has to publish the target. */
export function isOpen(state: TargetState): boolean {
  return (OPEN_STATES as readonly TargetState[]).includes(state);
}

/** The states for which `isOpen` is true, as an SQL list. */
export const OPEN_STATES_SQL = `(${OPEN_STATES.map((state) => `'${state}'`).join(", ")})`;

/**
 * The event with which a run ends. Undefined while a target is open. Skipped targets do not count; unconfirmed ones
 * count as not published.
 */
export function completionEvent(
  states: readonly TargetState[],
): "all_published" | "some_published" | "none_published" | undefined {
  if (!states.every(isTerminal)) {
    return undefined;
  }
  const attempted = states.filter((state) => state !== "skipped");
  const published = attempted.filter((state) => state === "published").length;
  if (published === 0) {
    return "none_published";
  }
  return published === attempted.length ? "all_published" : "some_published";
}
