import type { Context } from "#context.ts";
import { type ArmingServices, rearmOverdue } from "#posting/arming/arm-posts.ts";
import { armableFromPost } from "#posting/arming/to-armable-post.ts";
import { refusePostNotFound } from "#posting/refuse.ts";
import { toPost } from "./post-rows.ts";
import { findPostRow } from "./store-posts-by-id.ts";
import type { Post } from "#posting/types.ts";

/** One post with its media and options; also a cancelled one, so that a caller who lost the response can look it up. */
export async function getPost(
  ctx: Pick<Context, "actor"> & ArmingServices,
  input: { readonly id: string },
): Promise<Post> {
  const row = (await findPostRow(ctx.db, ctx.actor, input.id)) ?? refusePostNotFound();
  const post = toPost(row, ctx.clock.now());
  rearmOverdue(ctx, [row], () => armableFromPost(post));
  return post;
}
