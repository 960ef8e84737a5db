import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { armableFromPost } from "#arming/to-armable-post.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseInvalidState } from "#posts/rows/refuse.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import { changeStatus } from "./store-status-change.ts";
import type { Post } from "#posts/rows/types.ts";

/** Resumes a paused post if its time is in the future, the subscription is active and an account is usable. */
export async function resumePost(
  ctx: Pick<Context, "actor"> & ArmingServices,
  input: { readonly id: string },
): Promise<Post> {
  requireSubscription(ctx.actor);
  const now = ctx.clock.now();
  const { changed, post } = await changeStatus(ctx.db, ctx.actor, { id: input.id, to: "scheduled", now });
  if (!post) {
    return await refuseMissingPost(ctx, input.id, "resumed");
  }
  if (!changed) {
    await refuseWhileHeld(ctx);
    refuseInvalidState(resumeRefusalMessage(post, now));
  }
  await armPosts(ctx, [armableFromPost(post, ctx.actor.workspaceId)]);
  return post;
}

function resumeRefusalMessage(post: Post, now: number): string {
  if (post.status !== "paused") {
    return `a ${post.status} post cannot be resumed, only a paused one`;
  }
  return post.scheduledAt <= now
    ? "the time of this post has passed: give it a new one by editing it"
    : "none of the accounts of this post can be posted to: connect them again first";
}
