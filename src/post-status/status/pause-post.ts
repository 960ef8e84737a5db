import type { Context, Services } from "#context.ts";
import { disarmPosts } from "#arming/arm-posts.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseInvalidState } from "#posts/rows/refuse.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import { changeStatus } from "./store-status-change.ts";
import type { Post } from "#posts/rows/types.ts";

/** Pauses a scheduled post until its owner resumes or reschedules it. */
export async function pausePost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<Post> {
  const change = { id: input.id, to: "paused", now: ctx.clock.now() } as const;
  const { changed, post } = await changeStatus(ctx.db, ctx.actor, change);
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
