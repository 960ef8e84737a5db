import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import type { Annotations, Post } from "#posts/rows/types.ts";
import { replaceAnnotationsStatement } from "#posts/rows/store-annotations.ts";

/** Replaces the annotations of a post in any status. The published content, the version and the hash stay the same. */
export async function annotatePost(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { id, annotations }: { readonly id: string; readonly annotations: Annotations },
): Promise<Post> {
  const db = ctx.db;
  const now = ctx.clock.now();
  const { posts } = await batch(db, {
    replaced: replaceAnnotationsStatement(db, ctx.actor, id, annotations, now),
    posts: postsStatement(db, ctx.actor, [id]),
  });
  const [row] = posts.results;
  return row === undefined ? await refuseMissingPost(ctx, id, "changed") : toPost(row, now);
}
