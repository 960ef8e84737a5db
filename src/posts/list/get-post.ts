import type { Context } from "#context.ts";
import { getArchivedPost } from "./get-archived-post.ts";
import { type PostRow, toPost } from "#posts/rows/store-post-rows.ts";
import type { PostTextForm } from "#posts/rows/post-text-form.ts";
import { postTextColumns, type PostTextRow } from "#posts/rows/post-texts.ts";
import { overdueIds, rearmOverdue } from "#posts/rows/rearm-overdue.ts";
import { findPostRow, postsStatement, postTextStatement, sortByIds } from "#posts/rows/store-posts-by-id.ts";
import type { Post } from "#posts/rows/types.ts";

/**
 * Reads one post with its media and options. It may be archived or cancelled, so that a caller who lost a response can
 * look it up.
 */
export async function getPost(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db" | "defer" | "rearm">,
  input: { readonly id: string },
): Promise<Post> {
  const row = await findPostRow(ctx.db, ctx.actor, input.id);
  if (row === undefined) {
    return await getArchivedPost(ctx, input);
  }
  const now = ctx.clock.now();
  rearmOverdue(ctx, overdueIds([row], now));
  return toPost(row, now);
}

/**
 * Reads a post as a JSON text that the database writes in the caller's format. Undefined if the database does not have
 * it.
 */
export async function findPostText(
  ctx: Pick<Context, "actor" | "clock" | "db" | "defer" | "rearm">,
  input: { readonly id: string },
  form: PostTextForm,
): Promise<string | undefined> {
  const columns = postTextColumns(form.full);
  const statement = postTextStatement(ctx.db, ctx.actor, input.id, columns, ctx.clock.now());
  const { results } = await statement.all<PostTextRow>();
  rearmOverdue(
    ctx,
    results.flatMap(({ overdue_id: id }) => id ?? []),
  );
  return results[0]?.text;
}

/** Reads posts in the order of their ids, from any workspace of the user. Posts that no longer exist are left out. */
export async function getPosts(
  ctx: Pick<Context, "actor" | "db" | "clock">,
  input: { readonly workspaceId: string; readonly ids: readonly string[] },
): Promise<readonly Post[]> {
  const { workspaceId, ids } = input;
  const { results } = await postsStatement(ctx.db, { ...ctx.actor, workspaceId }, ids).all<PostRow>();
  return sortByIds(ids, results).map((row) => toPost(row, ctx.clock.now()));
}
