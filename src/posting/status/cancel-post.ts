import type { Context, Services } from "#context.ts";
import { disarmPosts } from "#posting/arming/arm-posts.ts";
import { refuseMissing, refuseState } from "#posting/refusals.ts";
import { moveStatements, readMove } from "./store-status-change.ts";

/** Cancels a post that has not started to publish; it stays readable by id for 30 days. */
export async function cancelPost(
  ctx: Pick<Context, "actor"> & Pick<Services, "arm" | "clock" | "db" | "defer">,
  input: { readonly id: string },
): Promise<{ readonly id: string; readonly status: "cancelled" }> {
  const now = ctx.clock.now();
  const results = await ctx.db.d1.batch(moveStatements(ctx.db, ctx.actor, { id: input.id, to: "cancelled", now }));
  const { moved, post } = readMove(results, now);
  if (!post) {
    refuseMissing();
  }
  if (!moved) {
    refuseState(`a ${post.status} post cannot be cancelled, only a scheduled or paused one`);
  }
  disarmPosts(ctx, [post]);
  return { id: post.id, status: "cancelled" };
}
