import type { Context } from "#context.ts";
import { type Arming, repairOverdue } from "#posting/arming/arm-posts.ts";
import { armableOf } from "#posting/arming/armable-post.ts";
import { refuseMissing } from "#posting/refusals.ts";
import { toPost } from "./post-rows.ts";
import { findPost } from "./store-posts.ts";
import type { Post } from "#posting/types.ts";

/** One post with its media and options; a cancelled one too, so that a caller who lost the answer can find out. */
export async function getPost(ctx: Pick<Context, "actor"> & Arming, input: { readonly id: string }): Promise<Post> {
  const row = (await findPost(ctx.db, ctx.actor, input.id)) ?? refuseMissing();
  const post = toPost(row, ctx.clock.now());
  repairOverdue(ctx, [row], () => armableOf(post));
  return post;
}
