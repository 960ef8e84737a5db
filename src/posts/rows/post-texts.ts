import type { Context } from "#context.ts";
import { log } from "#core/log.ts";
import type { ArmingServices } from "#arming/arm-posts.ts";
import { rearmOverdue } from "#arming/rearm-overdue.ts";
import { armableFromPost } from "#arming/to-armable-post.ts";
import { type PostRow, toPost } from "./post-rows.ts";
import { NOW_PARAMETER } from "./post-text-form.ts";
import { postsStatement } from "./store-posts-by-id.ts";

export interface PostTextRow {
  readonly text: string;
  /** The id of a post that is overdue, null for any other. */
  readonly overdue_id: string | null;
}

const columnsOf = new Map<string, string>();

/** The columns of `PostTextRow`; built once, because they are long. */
export function postTextColumns(form: string): string {
  const columns =
    columnsOf.get(form) ?? `${form} AS text, iif(p.watch_at <= ${NOW_PARAMETER}, p.id, NULL) AS overdue_id`;
  columnsOf.set(form, columns);
  return columns;
}

/** Overdue posts are rare: only then the rows are read again, after the response, and armed. */
export function rearmOverdueTexts(
  ctx: Pick<Context, "actor" | "config" | "watch"> & ArmingServices,
  rows: readonly PostTextRow[],
): void {
  const ids = rows.flatMap(({ overdue_id: id }) => id ?? []);
  if (ids.length > 0) {
    ctx.defer(rearmByIds(ctx, ids));
  }
}

async function rearmByIds(
  ctx: Pick<Context, "actor" | "config" | "watch"> & ArmingServices,
  ids: readonly string[],
): Promise<void> {
  try {
    const { results } = await postsStatement(ctx.db, ctx.actor, ids).all<PostRow>();
    rearmOverdue(ctx, results, (row) => armableFromPost(toPost(row, ctx.clock.now()), ctx.actor.workspaceId));
  } catch (error) {
    log("warn", "arm.overdue_not_read", { posts: ids.length, reason: String(error) });
  }
}
