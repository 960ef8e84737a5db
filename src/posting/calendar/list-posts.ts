import type { Context } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { type Armable, type Arming, repairOverdue } from "#posting/arming/arm-posts.ts";
import { type PostRow, type SummaryRow, toPost, toSummary } from "./post-rows.ts";
import { END_OF_TIME, pageStatements, type Segment } from "./store-post-list.ts";
import type { ListInput, Page, Post, PostSummary } from "#posting/types.ts";

type Asking = Pick<Context, "actor"> & Arming;

/** The posts of the active workspace by time, one page of them. */
export function listPosts(ctx: Asking, input: ListInput & { readonly fields: "full" }): Promise<Page<Post>>;
export function listPosts(ctx: Asking, input: ListInput & { readonly fields: "summary" }): Promise<Page<PostSummary>>;
export function listPosts(ctx: Asking, input: ListInput): Promise<Page<Post | PostSummary>>;
export async function listPosts(ctx: Asking, input: ListInput): Promise<Page<Post | PostSummary>> {
  const { limit, offset, order, fields } = input;
  const now = ctx.clock.now();
  const ascending = segmentsOf(input, now);
  const segments = order === "asc" ? ascending : ascending.toReversed();
  const statements = pageStatements(ctx.db, ctx.actor, { segments, order, fields, rows: limit + 1, offset });
  const results = await ctx.db.d1.batch<PostRow | SummaryRow | { total: number }>(statements);
  const total = (results.at(-1)?.results[0] as { total: number } | undefined)?.total ?? 0;
  const found = results.slice(0, -1).flatMap((result) => result.results as (PostRow | SummaryRow)[]);
  const rows = found.slice(0, limit);
  repairOverdue(ctx, rows, armable);
  return {
    posts: rows.map((row) => ("targets" in row ? toPost(row, now) : toSummary(row))),
    pagination: { limit, offset, total, hasMore: found.length > limit },
  };
}

/**
 * What the filters mean, in ascending order: without the past, posts that are still under way stand before everything that
 * is to come.
 */
export function segmentsOf(
  input: Pick<ListInput, "status" | "from" | "until" | "includePast">,
  now: number,
): Segment[] {
  const status = input.status ?? null;
  const from = Math.max(0, input.from ?? 0);
  const until = Math.max(0, Math.min(input.until ?? END_OF_TIME, END_OF_TIME));
  const includePast = input.includePast ?? (input.status !== undefined || input.from !== undefined);
  const segments: Segment[] =
    includePast || status === "publishing"
      ? [{ status, from, until }]
      : [
          ...(status === null ? [{ status: "publishing" as const, from, until: Math.min(now, until) }] : []),
          { status, from: Math.max(from, now), until },
        ];
  return segments.filter((segment) => segment.from < segment.until);
}

function armable(row: PostRow | SummaryRow): Armable {
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    scheduledAt: row.scheduled_at,
    platforms: JSON.parse(row.platforms) as Platform[],
    media: "media" in row ? (JSON.parse(row.media) as StoredMediaItem[]) : [],
  };
}
