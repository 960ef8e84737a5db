import type { Context } from "#context.ts";
import { MAX_PAGE_BYTES, takePageOf } from "#core/page-bytes.ts";
import { batch } from "#db/batch.ts";
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
import { wordsOfSearch } from "#posts/rows/search-text.ts";
import { MAX_INSTANT } from "#posts/summary/store-counted-posts.ts";
import { annotatedPageStatements } from "./store-annotated-pages.ts";
import { extentOf, hasWordsSql, searchPageStatements } from "./store-search-pages.ts";
import { type CutTextRow, type ListSegment, type PageRequest, pageStatements } from "./store-post-pages.ts";
import type { ListInput, Page, SearchExtent } from "./types.ts";
import type { Post, PostSummary } from "#posts/rows/types.ts";

type ListContext = Pick<Context, "actor" | "clock" | "db" | "defer" | "rearm">;

/** Lists one page of the posts of the active workspace, ordered by time. */
export function listPosts(ctx: ListContext, input: ListInput & { readonly fields: "full" }): Promise<Page<Post>>;
export function listPosts(
  ctx: ListContext,
  input: ListInput & { readonly fields: "summary" },
): Promise<Page<PostSummary>>;
export function listPosts(ctx: ListContext, input: ListInput): Promise<Page<Post | PostSummary>>;
export async function listPosts(ctx: ListContext, input: ListInput): Promise<Page<Post | PostSummary>> {
  const now = ctx.clock.now();
  const columns = input.fields === "full" ? POST_COLUMNS : SUMMARY_COLUMNS;
  const { pages, pagination, search } = await readPages<PostRow | SummaryRow>(ctx, input, { now, columns });
  const found = pages.flat();
  const rows = found.slice(0, input.limit);
  rearmOverdue(ctx, overdueIds(rows, now));
  return {
    posts: rows.map((row) => ("targets" in row ? toPost(row, now) : toSummary(row))),
    pagination: { ...pagination, hasMore: found.length > rows.length },
    search,
  };
}

/**
 * Lists one page, of at most 4 MiB, with each post as a JSON text that the database writes in the caller's format. If a
 * text exceeds its share, a second query lets the database cut the page. Cutting every page would read each of its rows
 * twice.
 */
export async function listPostTexts(ctx: ListContext, input: ListInput, form: PostTextForm): Promise<Page<string>> {
  const now = ctx.clock.now();
  const share = Math.floor(MAX_PAGE_BYTES / (input.limit + 1));
  const read = await readPages<PostTextRow>(ctx, input, {
    now,
    columns: postTextColumns(form[input.fields], share + 1),
  });
  const found = read.pages.flat();
  if (found.some(({ text }) => text.length > share)) {
    return await readCutPage(ctx, input, { form, now });
  }
  const rows = takePageOf(found.slice(0, input.limit), ({ text }) => text);
  rearmOverdue(
    ctx,
    rows.flatMap((row) => row.overdue_id ?? []),
  );
  const hasMore = found.length > rows.length;
  return { posts: rows.map(({ text }) => text), pagination: { ...read.pagination, hasMore }, search: read.search };
}

async function readCutPage(
  ctx: ListContext,
  input: ListInput,
  { form, now }: { readonly form: PostTextForm; readonly now: number },
): Promise<Page<string>> {
  const { pages, pagination, search } = await readPages<CutTextRow>(ctx, input, {
    now,
    columns: postTextColumns(form[input.fields]),
    isCut: true,
  });
  const { texts, overdue, hasMore } = cutPages(pages, input.limit);
  rearmOverdue(ctx, overdue);
  return { posts: texts, pagination: { ...pagination, hasMore }, search };
}

/** The texts of the page. Each statement has cut its own texts, and all together have the same limit. */
function cutPages(
  pages: readonly (readonly CutTextRow[])[],
  limit: number,
): { readonly texts: readonly string[]; readonly overdue: readonly string[]; readonly hasMore: boolean } {
  const texts: string[] = [];
  const overdue: string[] = [];
  let bytes = 0;
  for (const page of pages) {
    const before = bytes;
    for (const { text, overdue_id: id, bytes: fromStart } of page) {
      bytes = before + fromStart;
      if (texts.length === limit || text === null || (texts.length > 0 && bytes > MAX_PAGE_BYTES)) {
        return { texts, overdue, hasMore: true };
      }
      texts.push(text);
      overdue.push(...(id === null ? [] : [id]));
    }
  }
  return { texts, overdue, hasMore: false };
}

/** Reads the rows of the page by statement, and one more row to see whether further posts follow. */
async function readPages<Row>(
  ctx: Pick<Context, "actor" | "db">,
  input: ListInput,
  how: Pick<PageRequest, "now" | "columns" | "isCut">,
): Promise<{
  readonly pages: readonly (readonly Row[])[];
  readonly pagination: Omit<Page<Row>["pagination"], "hasMore">;
  readonly search: SearchExtent | null;
}> {
  const { limit, offset, order } = input;
  const ascending = segmentsOf(input, how.now);
  const segments = order === "asc" ? ascending : ascending.toReversed();
  const { externalId, label, search } = input;
  const request = { ...how, segments, order, rows: limit + 1, offset };
  const filter = { externalId, label };
  const words = search === undefined ? null : wordsOfSearch(search);
  const statements =
    segments.length > 0 && words !== null
      ? searchPageStatements(ctx.db, ctx.actor, request, filter, (params) => [hasWordsSql(words, params)])
      : segments.length === 0 || (externalId === undefined && label === undefined)
        ? pageStatements(ctx.db, ctx.actor, request)
        : annotatedPageStatements(ctx.db, ctx.actor, request, filter);
  const { pages, total } = await batch(ctx.db, { ...statements });
  return {
    pages: pages.map(({ results }) => results as readonly Row[]),
    pagination: { limit, offset, total: total.results[0]?.total ?? 0 },
    search: words && extentOf(total.results[0], order),
  };
}

/**
 * The time ranges that the filters select, in ascending order. Without `includePast`, posts that are publishing or wait
 * for their next try come before all future posts.
 */
export function segmentsOf(
  input: Pick<ListInput, "status" | "from" | "until" | "includePast" | "search">,
  now: number,
): ListSegment[] {
  const status = input.status ?? null;
  const from = Math.max(0, input.from ?? 0);
  const until = Math.max(0, Math.min(input.until ?? MAX_INSTANT, MAX_INSTANT));
  const includePast =
    input.includePast ?? [input.status, input.from, input.search].some((filter) => filter !== undefined);
  const segments: ListSegment[] =
    includePast || status === "publishing" || status === "scheduled"
      ? [{ status, from, until }]
      : [
          ...(status === null ? [{ status: "unfinished" as const, from, until: Math.min(now, until) }] : []),
          { status, from: Math.max(from, now), until },
        ];
  return segments.filter((segment) => segment.from < segment.until);
}
