import type { Db } from "#db/client.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";

export interface Standing {
  /** Posts per state, every user's. */
  readonly posts: Readonly<Record<ListedStatus, number>>;
  /** Scheduled posts whose object has confirmed its alarm. */
  readonly armed: number;
  /** Scheduled posts whose time has passed. */
  readonly overdue: number;
  /** When the next scheduled post is due. */
  readonly nextDueAt: number | null;
}

/** What is under way over all users; read only, and only here because no user of the product may ask it. */
export async function readStanding(db: Db, now: number): Promise<Standing> {
  const { results } = await db.d1
    .prepare(
      `SELECT status, count(*) AS posts, min(scheduled_at) AS first_due,
         coalesce(sum(watch_at >= scheduled_at), 0) AS armed, coalesce(sum(scheduled_at < ?), 0) AS passed
       FROM posts GROUP BY status`,
    )
    .bind(now)
    .all<{ status: string; posts: number; first_due: number; armed: number; passed: number }>();
  const counts = new Map(results.map((row) => [row.status, row.posts]));
  const scheduled = results.find((row) => row.status === "scheduled");
  return {
    posts: Object.fromEntries(POST_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
      ListedStatus,
      number
    >,
    armed: scheduled?.armed ?? 0,
    overdue: scheduled?.passed ?? 0,
    nextDueAt: scheduled?.first_due ?? null,
  };
}
