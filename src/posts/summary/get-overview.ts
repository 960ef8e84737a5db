import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import type { Overview } from "./types.ts";
import { toSummary } from "#posts/rows/store-post-rows.ts";
import {
  computeLateness,
  countByWeekdayAndHour,
  latenessHistogram,
  outcomesByDay,
  patternWindow,
} from "./schedule-statistics.ts";
import { accountsWithPostsStatements, readAccountsWithPosts } from "./store-account-posts.ts";
import { parseDayCounters, windowDaysStatement } from "./store-day-counters.ts";
import {
  failedPostsStatement,
  historyStatement,
  nextPostsStatement,
  type OverviewRow,
  pausedPostsStatement,
  postsAfterStatement,
  skippedPostsStatement,
  toFailedPost,
} from "./store-overview.ts";

const NEXT_POSTS = 5;
const FAILED_POSTS = 5;
const FAILED_POSTS_DAYS = 30;

interface OverviewInput {
  /** A valid IANA name. */
  readonly timeZone: string;
  /** When the subscription ends and posts are paused; null if no end is known. */
  readonly subscriptionEndsAt: number | null;
}

/** Reads the next posts, the problems and the results of the last weeks, in one round trip. */
export async function getOverview(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { timeZone, subscriptionEndsAt }: OverviewInput,
): Promise<Overview> {
  const { actor } = ctx;
  const db = ctx.db;
  const now = ctx.clock.now();
  const failedPage = { from: now - FAILED_POSTS_DAYS * DAY, limit: FAILED_POSTS + 1 };
  const [next, failed, partiallyFailed, paused, skipped, afterEnd, history, dayRows, accounts, accountPosts] =
    await db.d1.batch<OverviewRow>([
      nextPostsStatement(db, actor, { from: now, limit: NEXT_POSTS }),
      failedPostsStatement(db, actor, "failed", failedPage),
      failedPostsStatement(db, actor, "partially_failed", failedPage),
      pausedPostsStatement(db, actor),
      skippedPostsStatement(db, actor, now),
      postsAfterStatement(db, actor, subscriptionEndsAt),
      historyStatement(db, actor),
      windowDaysStatement(db, actor, patternWindow(now)),
      ...accountsWithPostsStatements(db, actor, now, { onlyInNeed: true }),
    ]);
  const days = parseDayCounters(dayRows);
  const failedPosts = [...(failed?.results ?? []), ...(partiallyFailed?.results ?? [])]
    .map(toFailedPost)
    .toSorted((a, b) => b.scheduledAt - a.scheduledAt);
  return {
    nextPosts: (next?.results ?? []).map(toSummary),
    failedPosts: failedPosts.slice(0, FAILED_POSTS),
    hasMoreFailedPosts: failedPosts.length > FAILED_POSTS,
    pausedPosts: (paused?.results ?? []).map(({ reason, count }) => ({ reason, count })),
    skippedPosts: (skipped?.results ?? []).map(({ platform, count, post_id: postId }) => ({ platform, count, postId })),
    postsAfterSubscription: afterEnd?.results[0]?.count ?? 0,
    accounts: readAccountsWithPosts(accounts, accountPosts, now),
    hasPosts: history?.results[0]?.has_posts === 1,
    hasPublished: history?.results[0]?.has_published === 1,
    outcomesByDay: outcomesByDay(days, now),
    countByHourOfWeek: countByWeekdayAndHour(days, timeZone, now),
    lateness: computeLateness(days, now),
    latenessHistogram: latenessHistogram(days, now),
  };
}
