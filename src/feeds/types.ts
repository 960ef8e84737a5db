import type { Platform } from "#core/platform.ts";
import type { PostStatus, TargetStatus } from "#core/status.ts";

/** An address that shows the posts of a workspace to whoever knows it. */
export interface CalendarFeed {
  /** What `revokeFeed` takes; the address cannot be computed from it. */
  readonly id: string;
  readonly createdAt: number;
}

export interface NewCalendarFeed extends CalendarFeed {
  /** Shown once: it contains the secret, of which only a hash is stored. */
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
  /** In the order of the post. */
  readonly targets: readonly FeedTarget[];
}

/** What a feed shows. */
export interface FeedContent {
  readonly workspaceName: string;
  /** By time. */
  readonly posts: readonly FeedPost[];
  /** There are more posts than a feed shows. */
  readonly isCut: boolean;
}

export interface FeedFile {
  readonly text: string;
  /** A strong entity tag, with its quotation marks: it is another one as soon as anything that the feed shows changes. */
  readonly etag: string;
}
