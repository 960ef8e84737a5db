import { findArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refusePostNotFound } from "#posts/rows/refuse.ts";
import type { Post } from "#posts/rows/types.ts";
import { toArchivedPost } from "./archived-posts.ts";

/** Reads a post that has moved from the database to the archive. */
export async function getArchivedPost(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db">,
  input: { readonly id: string },
): Promise<Post> {
  const archived = (await findArchived(ctx, input.id)) ?? refusePostNotFound();
  return toArchivedPost(archived, ctx.clock.now());
}
