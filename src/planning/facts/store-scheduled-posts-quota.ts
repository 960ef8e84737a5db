import type { Context } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { RefusalError } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Db } from "#db/client.ts";

/**
 * SQL that counts the scheduled, publishing and paused posts of a user in all workspaces. It reads counters, so that it reads as many rows
 * as there are days ahead, not as there are posts.
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

/** Reads the answer of `scheduledPostsStatement`. */
export function readScheduledPosts(result: { readonly results: readonly unknown[] } | undefined): number {
  return (result?.results[0] as { readonly used: number } | undefined)?.used ?? 0;
}

/** Refuses when `added` posts beside the `used` ones would exceed the limit. */
export function assertScheduledPostsLimit({ actor }: Pick<Context, "actor">, used: number, added: number): void {
  const limit = actor.limits.scheduledPosts;
  if (used + added > limit) {
    const nextStep = "cancel some, wait until some are published, or choose a larger plan";
    refuseQuota({ key: "scheduledPosts", limit, used, what: "scheduled posts", nextStep });
  }
}

/** Why `added` more posts cannot be scheduled now; null if they can. */
export function scheduledPostsProblem(ctx: Pick<Context, "actor">, used: number, added: number): string | null {
  try {
    assertScheduledPostsLimit(ctx, used, added);
    return null;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal.message;
    }
    throw error;
  }
}
