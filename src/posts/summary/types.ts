import type { Account } from "#accounts/index.ts";
import type { PausedReason } from "#core/codes.ts";
import type { Platform } from "#core/platform.ts";
import type { ListedStatus } from "#core/status.ts";
import type { CalendarDate } from "#core/wall-time.ts";
import type { PostSummary } from "#posts/rows/types.ts";

export interface ScheduleSummary {
  readonly timezone: string;
  readonly counts: Readonly<Record<ListedStatus, number>>;
  readonly byPlatform: Readonly<Partial<Record<Platform, number>>>;
  readonly nextPostAt: number | null;
  readonly upcoming: { readonly next24Hours: number; readonly next7Days: number; readonly next30Days: number };
  readonly patterns: {
    readonly byWeekday: readonly number[];
    readonly byHour: readonly number[];
    readonly busiest: readonly { readonly weekday: number; readonly hour: number; readonly count: number }[];
    readonly postsPerWeek: number;
  };
  /** Lateness of the targets published in the last 30 days, in ms after their due time. */
  readonly lateness: {
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
    readonly maxMs: number | null;
    readonly sample: number;
  };
}

/** The posts ahead that an account is part of. Each number is counted up to `ACCOUNT_POSTS_MAX`. */
export interface AccountPosts {
  /** Scheduled and paused posts that still have to be published by it. */
  readonly ahead: number;
  /** Those of them whose time is after the login ends. */
  readonly afterLoginEnd: number;
  /** Scheduled posts that a disconnect pauses, because they have no other account. */
  readonly pausedByDisconnect: number;
}

export interface AccountWithPosts extends Account {
  readonly posts: AccountPosts;
}

export interface AccountOverview {
  readonly accounts: readonly AccountWithPosts[];
  /** In all workspaces of the user together. */
  readonly connectedCount: number;
}

/** A target that is not published, and why. */
export interface TargetProblem {
  readonly platform: Platform;
  readonly username: string;
  /** `unconfirmed`: it may be published; only a look at the platform tells. */
  readonly status: "failed" | "unconfirmed";
  readonly message: string | null;
}

export interface FailedPost extends PostSummary {
  readonly problems: readonly TargetProblem[];
}

/** The posts ahead that will not go to a disconnected account of one platform. */
export interface SkippedPosts {
  readonly platform: Platform;
  readonly count: number;
  /** The first of them. */
  readonly postId: string;
}

export interface Overview {
  readonly nextPosts: readonly PostSummary[];
  /** Posts of the last 30 days of which not everything was published, newest first. */
  readonly failedPosts: readonly FailedPost[];
  readonly hasMoreFailedPosts: boolean;
  /** How many posts are paused, by a reason other than the user's own wish. */
  readonly pausedPosts: readonly { readonly reason: PausedReason; readonly count: number }[];
  /** Posts ahead that leave out an account, because it was disconnected; those paused for it are in `pausedPosts`. */
  readonly skippedPosts: readonly SkippedPosts[];
  /** How many posts are scheduled for after the end of the subscription; 0 where no end is known. */
  readonly postsAfterSubscription: number;
  /** Of an account that needs no login now, only the posts after its login ends are counted. */
  readonly accounts: readonly AccountWithPosts[];
  readonly hasPosts: boolean;
  readonly hasPublished: boolean;
  /** The last 30 days in UTC, oldest first. */
  readonly outcomesByDay: readonly {
    readonly date: CalendarDate;
    readonly published: number;
    readonly partiallyFailed: number;
    readonly failed: number;
  }[];
  /** Scheduled and published posts of 90 days before and after now, by hour of the week in the user's zone: Monday 0:00 comes first. */
  readonly countByHourOfWeek: readonly number[];
  readonly lateness: ScheduleSummary["lateness"];
  /** The same targets by ranges; `belowMs` is null for the last one. */
  readonly latenessHistogram: readonly { readonly belowMs: number | null; readonly count: number }[];
}
