import type { Context, Services } from "#context.ts";
import { disarmPosts } from "#posting/arming/arm-posts.ts";
import { refusePostNotFound, refuseInvalidState } from "#posting/refuse.ts";
import { statusChangeStatements, readStatusChange } from "./store-status-change.ts";

/** Cancels a post that has not started to publish; it can be read by its id for 30 more days. */
export async function cancelPost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<{ readonly id: string; readonly status: "cancelled" }> {
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(
    statusChangeStatements(ctx.db, ctx.actor, { id: input.id, to: "cancelled", now }),
  );
  const { changed, post } = readStatusChange(results, now);
  if (!post) {
    refusePostNotFound();
  }
  if (!changed) {
    refuseInvalidState(`a ${post.status} post cannot be cancelled, only a scheduled or paused one`);
  }
  disarmPosts(ctx, [post]);
  return { id: post.id, status: "cancelled" };
}
