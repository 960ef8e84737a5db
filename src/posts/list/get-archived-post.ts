import { findArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refusePostNotFound } from "#posts/rows/refuse.ts";
import type { Post } from "#posts/rows/types.ts";
import { toArchivedPost } from "./archived-posts.ts";

/** A post that is no longer in the database, because it has moved to the archive. */
export async function getArchivedPost(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db">,
  input: { readonly id: string },
): Promise<Post> {
  const archived = (await findArchived(ctx, input.id)) ?? refusePostNotFound();
  return toArchivedPost(archived, ctx.clock.now());
}
