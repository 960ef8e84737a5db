import type { PausedReason } from "#core/codes.ts";
import type { CreatedVia, ListedStatus } from "#core/status.ts";
import type { CalendarPost } from "#posts/index.ts";

export const STATUS_LABELS = {
  scheduled: "Scheduled",
  publishing: "Publishing",
  published: "Published",
  partially_failed: "Partly failed",
  failed: "Failed",
  paused: "Paused",
} as const satisfies Record<ListedStatus, string>;

export const SOURCE_LABELS = {
  dashboard: "Dashboard",
  api: "API",
  mcp: "AI assistant",
} as const satisfies Record<CreatedVia, string>;

const PAUSED_LABELS = {
  user: "Paused",
  subscription: "Paused: no plan",
  account: "Paused: reconnect",
  restored: "Paused: check it",
} as const satisfies Record<PausedReason, string>;

/** How a calendar shows the state of a post: a CSS class, and words that say the same. */
export interface PostState {
  readonly kind: "scheduled" | "publishing" | "published" | "trouble" | "paused";
  readonly label: string;
}

/** The state of a post for the calendar. An unconfirmed target needs a person as much as a failed one. */
export function stateOf({ status, pausedReason, targets }: CalendarPost): PostState {
  const has = (targetStatus: string) => targets.some((target) => target.status === targetStatus);
  if (has("unconfirmed") && !has("failed")) {
    return { kind: "trouble", label: "Unconfirmed" };
  }
  if (status === "failed" || status === "partially_failed") {
    return { kind: "trouble", label: STATUS_LABELS[status] };
  }
  if (status === "paused") {
    return { kind: "paused", label: PAUSED_LABELS[pausedReason ?? "user"] };
  }
  return { kind: status, label: STATUS_LABELS[status] };
}

/** Whether a post can be moved to another time. Only posts that are not being published yet can. */
export function isMovable({ status }: { readonly status: string }): boolean {
  return status === "scheduled" || status === "paused";
}
