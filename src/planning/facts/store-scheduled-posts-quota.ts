import type { Context } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { RefusalError } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Db } from "#db/client.ts";
import { scheduledPostsOf } from "#quotas/index.ts";

export function scheduledPostsStatement(db: Db, actor: Pick<Actor, "userId">): D1PreparedStatement {
  return db.d1.prepare(`SELECT ${scheduledPostsOf("?1")} AS used`).bind(actor.userId);
}

export function readScheduledPosts(result: { readonly results: readonly unknown[] } | undefined): number {
  return (result?.results[0] as { readonly used: number } | undefined)?.used ?? 0;
}

/** Refuses if `used` scheduled posts and `added` new ones would together exceed the limit. */
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
