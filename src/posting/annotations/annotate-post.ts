import type { Context } from "#context.ts";
import { dbFor } from "#db/client.ts";
import { type PostRow, toPost } from "#posting/calendar/post-rows.ts";
import { postsStatement } from "#posting/calendar/store-posts-by-id.ts";
import { refuseMissingPost } from "#posting/refuse-missing-post.ts";
import type { Annotations, Post } from "#posting/types.ts";
import { replaceAnnotationsStatement } from "./store-annotations.ts";

/** Replaces what is noted about a post, whatever its status; what is published, its version and its hash stay as they are. */
export async function annotatePost(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { id, annotations }: { readonly id: string; readonly annotations: Annotations },
): Promise<Post> {
  const db = dbFor(ctx, ctx.actor.workspaceId);
  const now = ctx.clock.now();
  const [, read] = await db.d1.batch<PostRow>([
    replaceAnnotationsStatement(db, ctx.actor, id, annotations, now),
    postsStatement(db, ctx.actor, [id]),
  ]);
  const row = read?.results[0];
  return row === undefined ? await refuseMissingPost(ctx, id, "changed") : toPost(row, now);
}
