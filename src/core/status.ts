/**
 * The statuses by which a caller can filter posts. `cancelled` is missing: lists leave out cancelled posts, which can
 * be read by id.
 */
export const POST_STATUSES = ["scheduled", "publishing", "published", "partially_failed", "failed", "paused"] as const;
export type ListedStatus = (typeof POST_STATUSES)[number];
export type PostStatus = ListedStatus | "cancelled";

export const TARGET_STATUSES = ["pending", "processing", "published", "failed", "unconfirmed", "skipped"] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

/**
 * The state of a target while the publisher works on it. TARGET_TRANSITIONS (src/posts/rows/state-machine.ts) lists the
 * allowed transitions.
 */
export const TARGET_STATES = [
  "pending",
  "preparing",
  "processing",
  "committing",
  "verifying",
  "retry_wait",
  "published",
  "failed",
  "unconfirmed",
  "skipped",
] as const;
export type TargetState = (typeof TARGET_STATES)[number];

/** What the service adds to a post after the platform has published it. Each addition takes a separate call. */
export const EXTRA_NAMES = ["cover", "playlists", "first_comment"] as const;
export type ExtraName = (typeof EXTRA_NAMES)[number];

export const EXTRA_STATUSES = ["published", "failed", "unconfirmed"] as const;
export type ExtraStatus = (typeof EXTRA_STATUSES)[number];

export const POST_TYPES = ["text", "image", "video"] as const;
export type PostType = (typeof POST_TYPES)[number];

export const MEDIA_TYPES = ["image", "video"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** The type of a stored file. A `document` is no media of a post: only an option of a target can use it. */
export type FileType = MediaType | "document";

/** The states of an approval. Every state except `pending` is final. */
export const APPROVAL_STATES = ["pending", "approved", "declined", "expired", "stale", "withdrawn"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const CREATED_VIA = ["api", "dashboard", "mcp"] as const;
export type CreatedVia = (typeof CREATED_VIA)[number];

export const ACCOUNT_STATUSES = ["active", "needs_reconnect"] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** The type of a post, from its media. Without media it is a text; with a video it is a video. */
export function postTypeOf(media: readonly { readonly type: MediaType }[]): PostType {
  if (media.length === 0) {
    return "text";
  }
  return media.some((item) => item.type === "video") ? "video" : "image";
}
