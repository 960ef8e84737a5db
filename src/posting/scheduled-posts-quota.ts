import type { Context } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Db } from "#db/client.ts";

/** SQL for the posts of a user that are scheduled or paused, in all workspaces. */
export const scheduledPostsOf = (userId: string): string =>
  `(SELECT count(*) FROM workspaces w CROSS JOIN posts q ON q.workspace_id = w.id
    WHERE w.user_id = ${userId} AND q.status IN ('scheduled', 'paused'))`;

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
