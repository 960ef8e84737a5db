import { ARCHIVED_STATUSES, listArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { ListInput, Page } from "./types.ts";
import type { Post, PostSummary } from "#posts/rows/types.ts";
import { toArchivedPost, toArchivedSummary } from "./archived-posts.ts";
import { MAX_INSTANT } from "#posts/summary/store-counted-posts.ts";

type ArchiveListContext = Pick<Context, "actor" | "bucket" | "clock" | "db">;
type ArchiveListInput = Omit<ListInput, "includePast">;

/** Lists one page of the archived posts of the active workspace, ordered by time. Archived posts have all ended. */
export function listArchivedPosts(
  ctx: ArchiveListContext,
  input: ArchiveListInput & { readonly fields: "summary" },
): Promise<Page<PostSummary>>;
export function listArchivedPosts(ctx: ArchiveListContext, input: ArchiveListInput): Promise<Page<Post | PostSummary>>;
export async function listArchivedPosts(
  ctx: ArchiveListContext,
  input: ArchiveListInput,
): Promise<Page<Post | PostSummary>> {
  const { limit, offset, order, fields } = input;
  const filters = { q: input.search, label: input.label, external_id: input.externalId };
  const filtered = (["q", "label", "external_id"] as const).find((name) => filters[name] !== undefined);
  if (filtered !== undefined) {
    refuse({
      code: "invalid_request",
      message: `${filtered} does not find archived posts: leave out one of both`,
      param: filtered,
    });
  }
  const status = ARCHIVED_STATUSES.find((one) => one === input.status) ?? null;
  const isOtherStatus = input.status !== undefined && status === null;
  const { posts, total } = isOtherStatus
    ? { posts: [], total: 0 }
    : await listArchived(ctx, {
        status,
        from: input.from ?? 0,
        until: input.until ?? MAX_INSTANT,
        order,
        limit,
        offset,
      });
  const now = ctx.clock.now();
  return {
    posts: posts.map((post) => (fields === "full" ? toArchivedPost(post, now) : toArchivedSummary(post))),
    pagination: { limit, offset, total, hasMore: offset + posts.length < total },
    search: null,
  };
}
