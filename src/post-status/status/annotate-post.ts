import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { isLimitReached } from "#db/errors.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import { refuseMissingPost } from "#posts/rows/refuse-missing-post.ts";
import type { Annotations, Post } from "#posts/rows/types.ts";
import { replaceAnnotationsStatement } from "#posts/rows/store-annotations.ts";
import { annotationsBytes } from "#posts/rows/stored-bytes.ts";
import { countHourlyUse } from "#quotas/index.ts";

/** Shorter ones are bounded by the number of posts. */
export const SHORT_ANNOTATIONS_BYTES = 2 * 1024;

/** Replaces the annotations of a post in any status. The published content, the version and the hash stay the same. */
export async function annotatePost(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { id, annotations }: { readonly id: string; readonly annotations: Annotations },
): Promise<Post> {
  const db = ctx.db;
  const now = ctx.clock.now();
  const bytes = annotationsBytes(annotations);
  const longTexts =
    bytes <= SHORT_ANNOTATIONS_BYTES ? null : countHourlyUse(ctx, [{ kind: "long_texts", count: bytes }]);
  const writing = batch(db, {
    longTexts: longTexts?.guardedStatements,
    replaced: replaceAnnotationsStatement(db, ctx.actor, id, annotations, now),
    posts: postsStatement(db, ctx.actor, [id]),
  });
  const { posts } = await writing.catch((error: unknown) => {
    if (longTexts && isLimitReached(error)) {
      return longTexts.refuse();
    }
    throw error;
  });
  const [row] = posts.results;
  return row === undefined ? await refuseMissingPost(ctx, id, "changed") : toPost(row, now);
}
