import type { Context, Services } from "#context.ts";
import type { PostStatus } from "#core/status.ts";
import { disarmPosts } from "#arming/arm-posts.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseInvalidState } from "#posts/rows/refuse.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import { cancelOrStop } from "./store-status-change.ts";

/**
 * The status of a post after a cancel. A partly published post keeps its record and becomes `partially_failed` or
 * `failed`.
 */
export type CancelledStatus = "cancelled" | "partially_failed" | "failed";

/**
 * Cancels a post that has not started to publish; it can still be read by id for 30 days. If the post is partly
 * published, its retry is stopped instead: open targets are skipped, and the post stays in the lists.
 */
export async function cancelPost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<{ readonly id: string; readonly status: CancelledStatus }> {
  const { changed, post } = await cancelOrStop(ctx.db, ctx.actor, { id: input.id, now: ctx.clock.now() });
  if (!post) {
    return await refuseMissingPost(ctx, input.id, "cancelled");
  }
  if (!changed) {
    await refuseWhileHeld(ctx);
    refuseInvalidState(`a ${post.status} post cannot be cancelled, only a scheduled or paused one`);
  }
  // mutant: no-disarm
  disarmPosts(ctx, [{ ...post, workspaceId: ctx.actor.workspaceId }]);
  return { id: post.id, status: toCancelledStatus(post.status) };
}

function toCancelledStatus(status: PostStatus): CancelledStatus {
  return status === "partially_failed" || status === "failed" ? status : "cancelled";
}
