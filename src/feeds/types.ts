import type { Platform } from "#core/platform.ts";
import type { PostStatus, TargetStatus } from "#core/status.ts";

/** A secret address: whoever knows it sees the posts of the workspace. */
export interface CalendarFeed {
  /** `revokeFeed` takes it; nobody can compute the address from it. */
  readonly id: string;
  readonly createdAt: number;
}

export interface NewCalendarFeed extends CalendarFeed {
  /** Shown only once: it contains the secret, and the service stores only a hash. */
  readonly url: string;
}

export interface FeedTarget {
  readonly platform: Platform;
  readonly username: string;
  readonly status: TargetStatus;
  readonly url: string | null;
}

export interface FeedPost {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly scheduledAt: number;
  readonly updatedAt: number;
  readonly caption: string;
  /** In the order of the post's targets. */
  readonly targets: readonly FeedTarget[];
}

export interface FeedContent {
  readonly workspaceName: string;
  /** Ordered by time. */
  readonly posts: readonly FeedPost[];
  /** There are more posts than a feed shows. */
  readonly isCut: boolean;
}

export interface FeedFile {
  /** Null if the caller already has the file of this tag. */
  readonly text: string | null;
  /** A strong entity tag with its quotation marks. It changes with everything that the feed shows, and every hour. */
  readonly etag: string;
}
