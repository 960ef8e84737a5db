import type { Context, Services } from "#context.ts";
import { disarmPosts } from "#posting/arming/arm-posts.ts";
import { refuseMissing, refuseState } from "#posting/refusals.ts";
import { moveStatements, readMove } from "./store-status-change.ts";
import type { Post } from "#posting/types.ts";

/** Holds a scheduled post back until its owner resumes it or gives it another time. */
export async function pausePost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<Post> {
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(moveStatements(ctx.db, ctx.actor, { id: input.id, to: "paused", now }));
  const { moved, post } = readMove(results, now);
  if (!post) {
    refuseMissing();
  }
  if (!moved) {
    refuseState(`a ${post.status} post cannot be paused, only a scheduled one`);
  }
  disarmPosts(ctx, [post]);
  return post;
}
