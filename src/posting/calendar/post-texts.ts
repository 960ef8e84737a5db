import type { Context } from "#context.ts";
import { log } from "#core/log.ts";
import type { ArmingServices } from "#posting/arming/arm-posts.ts";
import { rearmOverdue } from "#posting/arming/rearm-overdue.ts";
import { armableFromPost } from "#posting/arming/to-armable-post.ts";
import { type PostRow, toPost } from "./post-rows.ts";
import { postsStatement } from "./store-posts-by-id.ts";

/**
 * How a caller wants posts as text: SQL expressions over a row `p` of posts, for the whole post and for its summary. `now` is the
 * parameter that holds the present time.
 */
export interface PostTextForm {
  readonly full: (now: string) => string;
  readonly summary: (now: string) => string;
}

export interface PostTextRow {
  readonly text: string;
  /** The id of a post that is overdue, null for any other. */
  readonly overdue_id: string | null;
}

/** The columns of `PostTextRow`. */
export function postTextColumns(form: (now: string) => string, now: string): string {
  return `${form(now)} AS text, iif(p.watch_at <= ${now}, p.id, NULL) AS overdue_id`;
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
    rearmOverdue(ctx, results, (row) => armableFromPost(toPost(row, ctx.clock.now())));
  } catch (error) {
    log("warn", "arm.overdue_not_read", { posts: ids.length, reason: String(error) });
  }
}
