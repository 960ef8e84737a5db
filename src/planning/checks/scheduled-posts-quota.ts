import type { Context } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Db } from "#db/client.ts";

/**
 * SQL for the posts of a user that are scheduled, publishing or paused, in all workspaces: from the counters, so that what it reads
 * depends on the days ahead and not on the posts.
 */
export const scheduledPostsOf = (userId: string): string =>
  `(SELECT coalesce(sum(
      (SELECT coalesce(sum(t.scheduled + t.paused), 0) FROM post_totals t WHERE t.workspace_id = w.id)
      + (SELECT coalesce(sum(d.scheduled + d.paused), 0) FROM post_days d WHERE d.workspace_id = w.id
          AND d.day >= coalesce((SELECT t.day FROM post_totals t WHERE t.workspace_id = w.id AND t.side = 'before'), 0)
          AND d.day < coalesce((SELECT t.day FROM post_totals t WHERE t.workspace_id = w.id AND t.side = 'from'), 9e15))), 0)
    FROM workspaces w WHERE w.user_id = ${userId})`;

export function scheduledPostsStatement(db: Db, actor: Pick<Actor, "userId">): D1PreparedStatement {
  return db.d1.prepare(`SELECT ${scheduledPostsOf("?1")} AS used`).bind(actor.userId);
}

/** Refuses when `added` posts would exceed the limit; `result` is that of the statement. */
export function assertScheduledPostsLimit(
  { actor }: Pick<Context, "actor">,
  result: D1Result | undefined,
  added: number,
): void {
  const used = (result?.results[0] as { readonly used: number } | undefined)?.used ?? 0;
  const limit = actor.limits.scheduledPosts;
  if (used + added > limit) {
    const nextStep = "cancel some, wait until some are published, or choose a larger plan";
    refuseQuota({ key: "scheduledPosts", limit, used, what: "scheduled posts", nextStep });
  }
}
