import type { PostStatus, TargetState } from "#core/status.ts";

export type PostEvent =
  | "edit"
  | "move"
  | "cancel"
  | "pause"
  | "resume"
  | "claim"
  | "miss_window"
  | "all_published"
  | "some_published"
  | "none_published"
  | "reopen";

/** The life of a post: a missing cell is a move that cannot happen, so nothing that was sent can be taken back. */
export const POST_MOVES: Record<PostStatus, Partial<Record<PostEvent, PostStatus>>> = {
  scheduled: {
    edit: "scheduled",
    move: "scheduled",
    cancel: "cancelled",
    pause: "paused",
    claim: "publishing",
    miss_window: "failed",
  },
  paused: { edit: "paused", move: "scheduled", cancel: "cancelled", resume: "scheduled" },
  publishing: { all_published: "published", some_published: "partially_failed", none_published: "failed" },
  failed: { reopen: "scheduled" },
  partially_failed: { reopen: "scheduled" },
  published: {},
  cancelled: {},
};

/** The life of a target within one run; `failed` opens again only by an edit of the whole post. */
export const TARGET_MOVES: Record<TargetState, readonly TargetState[]> = {
  pending: ["preparing", "processing", "committing", "verifying", "retry_wait", "failed", "skipped"],
  preparing: ["preparing", "processing", "committing", "verifying", "retry_wait", "failed"],
  processing: ["preparing", "processing", "committing", "verifying", "retry_wait", "failed"],
  committing: ["preparing", "verifying", "retry_wait", "published", "failed"],
  verifying: ["preparing", "verifying", "retry_wait", "published", "failed", "unconfirmed"],
  retry_wait: ["preparing", "processing", "committing", "verifying", "retry_wait", "failed"],
  failed: ["pending"],
  published: [],
  unconfirmed: [],
  skipped: [],
};

const TERMINAL: ReadonlySet<TargetState> = new Set(["published", "failed", "unconfirmed", "skipped"]);

export function isTerminal(state: TargetState): boolean {
  return TERMINAL.has(state);
}

/** How a run ends; undefined while a target still moves. What was skipped does not count, what is unconfirmed is not published. */
export function endOf(
  states: readonly TargetState[],
): "all_published" | "some_published" | "none_published" | undefined {
  if (!states.every(isTerminal)) {
    return undefined;
  }
  const tried = states.filter((state) => state !== "skipped");
  const published = tried.filter((state) => state === "published").length;
  if (published === 0) {
    return "none_published";
  }
  return published === tried.length ? "all_published" : "some_published";
}
