import type { Db } from "#db/client.ts";
import { NEXT_DUE_AT_SQL } from "#arming/store-next-due-at.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";

export interface PostStatistics {
  /** The number of posts of all users by status. */
  readonly countByStatus: Readonly<Record<ListedStatus, number>>;
  /** The number of scheduled posts whose Durable Object has confirmed its alarm. */
  readonly armed: number;
  /** The number of scheduled posts that are past due. */
  readonly overdue: number;
  /** The time when the next scheduled post is due. */
  readonly nextDueAt: number | null;
}

/**
 * Reads statistics over the posts of all users. Only the sandbox has this query, because no role of the product may see
 * them.
 */
export async function readPostStatistics(db: Db, now: number): Promise<PostStatistics> {
  const { results } = await db.d1
    .prepare(
      `SELECT status, count(*) AS posts, min(${NEXT_DUE_AT_SQL}) AS first_due,
         coalesce(sum(watch_at >= scheduled_at), 0) AS armed, coalesce(sum(${NEXT_DUE_AT_SQL} < ?), 0) AS passed
       FROM posts GROUP BY status`,
    )
    .bind(now)
    .all<{ status: string; posts: number; first_due: number; armed: number; passed: number }>();
  const countOf = new Map(results.map((row) => [row.status, row.posts]));
  const scheduled = results.find((row) => row.status === "scheduled");
  return {
    countByStatus: Object.fromEntries(POST_STATUSES.map((status) => [status, countOf.get(status) ?? 0])) as Record<
      ListedStatus,
      number
    >,
    armed: scheduled?.armed ?? 0,
    overdue: scheduled?.passed ?? 0,
    nextDueAt: scheduled?.first_due ?? null,
  };
}
