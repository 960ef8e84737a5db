import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { batch } from "#db/batch.ts";
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
import { toDayCounters, windowDaysStatement } from "./store-day-counters.ts";
import {
  failedPostsStatement,
  historyStatement,
  nextPostsStatement,
  pausedPostsStatement,
  postsAfterStatement,
  readHistory,
  skippedPostsStatement,
  toFailedPost,
} from "./store-overview.ts";

const NEXT_POSTS = 5;
const FAILED_POSTS = 5;
const FAILED_POSTS_DAYS = 30;

interface OverviewInput {
  /** A valid IANA time zone name. */
  readonly timeZone: string;
  /** When (ms) the subscription ends, so that posts are paused. Null if no end is known. */
  readonly subscriptionEndsAt: number | null;
}

/** Reads the next posts, the problems and the results of the last weeks, in one round trip. */
export async function getOverview(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { timeZone, subscriptionEndsAt }: OverviewInput,
): Promise<Overview> {
  const { actor, db } = ctx;
  const now = ctx.clock.now();
  const failedPage = { from: now - FAILED_POSTS_DAYS * DAY, limit: FAILED_POSTS + 1 };
  const read = await batch(db, {
    next: nextPostsStatement(db, actor, { from: now, limit: NEXT_POSTS }),
    failed: failedPostsStatement(db, actor, "failed", failedPage),
    partiallyFailed: failedPostsStatement(db, actor, "partially_failed", failedPage),
    paused: pausedPostsStatement(db, actor),
    skipped: skippedPostsStatement(db, actor, now),
    afterEnd: postsAfterStatement(db, actor, subscriptionEndsAt),
    history: historyStatement(db, actor),
    days: windowDaysStatement(db, actor, patternWindow(now)),
    ...accountsWithPostsStatements(db, actor, now, { onlyInNeed: true }),
  });
  const days = read.days.results.map(toDayCounters);
  const failedPosts = [...read.failed.results, ...read.partiallyFailed.results]
    .map(toFailedPost)
    .toSorted((a, b) => b.scheduledAt - a.scheduledAt);
  return {
    nextPosts: read.next.results.map(toSummary),
    failedPosts: failedPosts.slice(0, FAILED_POSTS),
    hasMoreFailedPosts: failedPosts.length > FAILED_POSTS,
    pausedPosts: read.paused.results,
    skippedPosts: read.skipped.results.map(({ platform, count, post_id: postId }) => ({ platform, count, postId })),
    postsAfterSubscription: read.afterEnd.results[0]?.count ?? 0,
    accounts: readAccountsWithPosts(read, now),
    ...readHistory(read.history),
    outcomesByDay: outcomesByDay(days, now),
    countByHourOfWeek: countByWeekdayAndHour(days, timeZone, now),
    lateness: computeLateness(days, now),
    latenessHistogram: latenessHistogram(days, now),
  };
}
