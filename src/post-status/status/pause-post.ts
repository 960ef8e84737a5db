import type { Context, Services } from "#context.ts";
import { disarmPosts } from "#arming/arm-posts.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseInvalidState } from "#posts/rows/refuse.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import { statusChangeStatements, readStatusChange } from "./store-status-change.ts";
import type { Post } from "#posts/rows/types.ts";

/** Pauses a scheduled post until its owner resumes or reschedules it. */
export async function pausePost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<Post> {
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(statusChangeStatements(ctx.db, ctx.actor, { id: input.id, to: "paused", now }));
  const { changed, post } = readStatusChange(results, now);
  if (!post) {
    return await refuseMissingPost(ctx, input.id, "paused");
  }
  if (!changed) {
    await refuseWhileHeld(ctx);
    refuseInvalidState(
      post.status === "scheduled"
        ? "a post of which something is public cannot be paused: cancel it to stop the retry"
        : `a ${post.status} post cannot be paused, only a scheduled one`,
    );
  }
  disarmPosts(ctx, [{ ...post, workspaceId: ctx.actor.workspaceId }]);
  return post;
}
