import type { Context, Services } from "#context.ts";
import type { PostStatus } from "#core/status.ts";
import { disarmPosts } from "#arming/arm-posts.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseInvalidState } from "#posts/rows/refuse.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import { cancelStatements, readCancelled } from "./store-status-change.ts";

/** What a post can be after it was cancelled: a post of which something is public keeps its record. */
export type CancelledStatus = "cancelled" | "partially_failed" | "failed";

/**
 * Cancels a post that has not started to publish; it can be read by its id for 30 more days. The retry of a post of which something
 * is public is stopped: its open targets are skipped, and the post stays in the lists.
 */
export async function cancelPost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<{ readonly id: string; readonly status: CancelledStatus }> {
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(cancelStatements(ctx.db, ctx.actor, { id: input.id, now }));
  const { changed, post } = readCancelled(results, now);
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
