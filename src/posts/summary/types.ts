import type { Account, ActiveLoginSummary } from "#accounts/index.ts";
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
  /** The lateness (ms after the due time) of targets published in the last 30 days. */
  readonly lateness: {
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
    readonly maxMs: number | null;
    readonly sample: number;
  };
}

/** The upcoming posts of an account. Counting stops at `ACCOUNT_POSTS_MAX`. */
export interface AccountPosts {
  /** The scheduled and paused posts that this account still has to publish. */
  readonly ahead: number;
  /** How many of the posts ahead are due after the account's login ends. */
  readonly afterLoginEnd: number;
  /** How many scheduled posts a disconnect would pause, because they have no other account. */
  readonly pausedByDisconnect: number;
}

export interface AccountWithPosts extends Account {
  readonly posts: AccountPosts;
}

export interface AccountOverview {
  readonly accounts: readonly AccountWithPosts[];
  /** How many accounts the user has connected, in all workspaces together. */
  readonly connectedCount: number;
  readonly logins: readonly ActiveLoginSummary[];
}

/** A target that was not published, and why. */
export interface TargetProblem {
  readonly platform: Platform;
  readonly username: string;
  /** `unconfirmed`: the target may be published. The user must check at the platform. */
  readonly status: "failed" | "unconfirmed";
  readonly message: string | null;
}

export interface FailedPost extends PostSummary {
  readonly problems: readonly TargetProblem[];
}

/** The upcoming posts that will not be published on one platform, because its account was disconnected. */
export interface SkippedPosts {
  readonly platform: Platform;
  readonly count: number;
  readonly postId: string;
}

/** What a workspace has done so far. */
export interface PostHistory {
  readonly hasPosts: boolean;
  readonly hasPublished: boolean;
}

export interface Overview extends PostHistory {
  readonly nextPosts: readonly PostSummary[];
  /** The posts of the last 30 days with a target that was not published, newest first. */
  readonly failedPosts: readonly FailedPost[];
  readonly hasMoreFailedPosts: boolean;
  /** How many posts are paused, by reason. Posts that the user paused do not count. */
  readonly pausedPosts: readonly { readonly reason: PausedReason; readonly count: number }[];
  /** Upcoming posts that skip a disconnected account. Posts that are paused for that reason are in `pausedPosts`. */
  readonly skippedPosts: readonly SkippedPosts[];
  /** How many posts are scheduled after the subscription ends. 0 if no end is known. */
  readonly postsAfterSubscription: number;
  /** The accounts with their posts. For an account that needs no login now, only posts after its login ends count. */
  readonly accounts: readonly AccountWithPosts[];
  /** The last 30 days in UTC, oldest first. */
  readonly outcomesByDay: readonly {
    readonly date: CalendarDate;
    readonly published: number;
    readonly partiallyFailed: number;
    readonly failed: number;
  }[];
  /**
   * Scheduled and published posts from 90 days ago to 90 days ahead, by hour of the week, from Monday 0:00 in the
   * user's zone.
   */
  readonly countByHourOfWeek: readonly number[];
  readonly lateness: ScheduleSummary["lateness"];
  /** The published targets by ranges of lateness. `belowMs` is null for the last range. */
  readonly latenessHistogram: readonly { readonly belowMs: number | null; readonly count: number }[];
}
