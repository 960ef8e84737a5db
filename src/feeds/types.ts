import type { Platform } from "#core/platform.ts";
import type { PostStatus, TargetStatus } from "#core/status.ts";

/** A secret URL with which anybody can read the posts of the workspace as a calendar. */
export interface CalendarFeed {
  /** Identifies the feed, for `revokeFeed`. Nobody can compute the URL from it. */
  readonly id: string;
  readonly createdAt: number;
}

export interface NewCalendarFeed extends CalendarFeed {
  /** The URL, shown only once. It contains the secret, and the service stores only a hash of the secret. */
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
  /** The accounts, in the order of the post's targets. */
  readonly targets: readonly FeedTarget[];
}

export interface FeedContent {
  readonly workspaceName: string;
  /** The posts, ordered by time. */
  readonly posts: readonly FeedPost[];
  /** Whether the workspace has more posts than a feed shows. */
  readonly isCut: boolean;
}

export interface FeedFile {
  /** The calendar file. Null if the caller already has the file with this tag. */
  readonly text: string | null;
  /** A strong entity tag with its quotation marks. It changes with everything that the feed shows, and every hour. */
  readonly etag: string;
}
