import type { Context } from "#context.ts";
import {
  POST_COLUMNS,
  type PostRow,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toPost,
  toSummary,
} from "#posts/rows/store-post-rows.ts";
import type { PostTextForm } from "#posts/rows/post-text-form.ts";
import { postTextColumns, type PostTextRow } from "#posts/rows/post-texts.ts";
import { overdueIds, rearmOverdue } from "#posts/rows/rearm-overdue.ts";
import { MAX_INSTANT } from "#posts/summary/store-counted-posts.ts";
import { annotatedPageStatements } from "./store-annotated-pages.ts";
import { pageStatements, type ListSegment } from "./store-post-pages.ts";
import type { ListInput, Page } from "./types.ts";
import type { Post, PostSummary } from "#posts/rows/types.ts";

type ListContext = Pick<Context, "actor" | "clock" | "db" | "defer" | "rearm">;

/** One page of the posts of the active workspace, ordered by time. */
export function listPosts(ctx: ListContext, input: ListInput & { readonly fields: "full" }): Promise<Page<Post>>;
export function listPosts(
  ctx: ListContext,
  input: ListInput & { readonly fields: "summary" },
): Promise<Page<PostSummary>>;
export function listPosts(ctx: ListContext, input: ListInput): Promise<Page<Post | PostSummary>>;
export async function listPosts(ctx: ListContext, input: ListInput): Promise<Page<Post | PostSummary>> {
  const now = ctx.clock.now();
  const columns = input.fields === "full" ? POST_COLUMNS : SUMMARY_COLUMNS;
  const { rows, pagination } = await readPage<PostRow | SummaryRow>(ctx, input, now, columns);
  rearmOverdue(ctx, overdueIds(rows, now));
  return { posts: rows.map((row) => ("targets" in row ? toPost(row, now) : toSummary(row))), pagination };
}

/** The same page with each post as a JSON text that the database writes in the caller's format. */
export async function listPostTexts(ctx: ListContext, input: ListInput, form: PostTextForm): Promise<Page<string>> {
  const now = ctx.clock.now();
  const { rows, pagination } = await readPage<PostTextRow>(ctx, input, now, postTextColumns(form[input.fields]));
  rearmOverdue(
    ctx,
    rows.flatMap(({ overdue_id: id }) => id ?? []),
  );
  return { posts: rows.map(({ text }) => text), pagination };
}

async function readPage<Row>(
  ctx: Pick<Context, "actor" | "db">,
  input: ListInput,
  now: number,
  columns: string,
): Promise<{ readonly rows: readonly Row[]; readonly pagination: Page<Row>["pagination"] }> {
  const { limit, offset, order } = input;
  const ascending = segmentsOf(input, now);
  const segments = order === "asc" ? ascending : ascending.toReversed();
  const { externalId, label } = input;
  const request = { segments, order, columns, now, rows: limit + 1, offset };
  const statements =
    segments.length === 0 || (externalId === undefined && label === undefined)
      ? pageStatements(ctx.db, ctx.actor, request)
      : annotatedPageStatements(ctx.db, ctx.actor, request, { externalId, label });
  const results = await ctx.db.d1.batch<Row | { total: number }>(statements);
  const total = (results.at(-1)?.results[0] as { total: number } | undefined)?.total ?? 0;
  const rowsAndNext = results.slice(0, -1).flatMap((result) => result.results as Row[]);
  return {
    rows: rowsAndNext.slice(0, limit),
    pagination: { limit, offset, total, hasMore: rowsAndNext.length > limit },
  };
}

/**
 * The time ranges that the filters select, in ascending order. Without `includePast`, posts that are still publishing or wait for their
 * next try come before all future posts.
 */
export function segmentsOf(
  input: Pick<ListInput, "status" | "from" | "until" | "includePast">,
  now: number,
): ListSegment[] {
  const status = input.status ?? null;
  const from = Math.max(0, input.from ?? 0);
  const until = Math.max(0, Math.min(input.until ?? MAX_INSTANT, MAX_INSTANT));
  const includePast = input.includePast ?? (input.status !== undefined || input.from !== undefined);
  const segments: ListSegment[] =
    includePast || status === "publishing" || status === "scheduled"
      ? [{ status, from, until }]
      : [
          ...(status === null ? [{ status: "unfinished" as const, from, until: Math.min(now, until) }] : []),
          { status, from: Math.max(from, now), until },
        ];
  return segments.filter((segment) => segment.from < segment.until);
}
