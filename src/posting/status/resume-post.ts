import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import { type Arming, armPosts } from "#posting/arming/arm-posts.ts";
import { armableOf } from "#posting/arming/armable-post.ts";
import { refuseMissing, refuseState } from "#posting/refusals.ts";
import { moveStatements, readMove } from "./store-status-change.ts";
import type { Post } from "#posting/types.ts";

/** Lets a paused post go on at its time, if that is still to come, paid for, and an account is there to post to. */
export async function resumePost(ctx: Pick<Context, "actor"> & Arming, input: { readonly id: string }): Promise<Post> {
  requireSubscription(ctx.actor);
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(moveStatements(ctx.db, ctx.actor, { id: input.id, to: "scheduled", now }));
  const { moved, post } = readMove(results, now);
  if (!post) {
    refuseMissing();
  }
  if (!moved) {
    refuseState(whyNot(post, now));
  }
  await armPosts(ctx, [armableOf(post)]);
  return post;
}

function whyNot(post: Post, now: number): string {
  if (post.status !== "paused") {
    return `a ${post.status} post cannot be resumed, only a paused one`;
  }
  return post.scheduledAt <= now
    ? "the time of this post has passed: give it a new one by editing it"
    : "none of the accounts of this post can be posted to: connect them again first";
}
