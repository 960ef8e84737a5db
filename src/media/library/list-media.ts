import { dbFor } from "#db/client.ts";
import type { Context } from "#context.ts";
import type { MediaType, PostStatus } from "#core/status.ts";
import { toResolved } from "#media/store.ts";
import type { ResolvedMedia } from "#media/types.ts";
import { type LibraryPosition, type MediaUseRow, selectLibraryPage } from "./store-library.ts";

const PAGE_SIZE = 48;
/** The posts that are named of each item; the others are only counted. */
export const USES_PER_ITEM = 3;

interface MediaUse {
  readonly postId: string;
  readonly scheduledAt: number;
  readonly status: PostStatus;
}

/** The posts that use an item and are not cancelled: their number, and some of them, the next one first. */
export interface MediaUses {
  readonly count: number;
  readonly posts: readonly MediaUse[];
}

export interface LibraryItem extends ResolvedMedia, MediaUses {
  readonly createdAt: number;
}

export interface Library {
  readonly items: readonly LibraryItem[];
  /** The position of the next page; null on the last. */
  readonly next: LibraryPosition | null;
  /** Of all workspaces of the user, also of uploads that are not complete. */
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export function toUses(rows: readonly MediaUseRow[]): MediaUses {
  return {
    count: rows[0]?.uses ?? 0,
    posts: rows.map(({ postId, scheduledAt, status }) => ({ postId, scheduledAt, status })),
  };
}

/** The media of the active workspace that can be used in posts, newest first. */
export async function listMedia(
  ctx: Pick<Context, "actor" | "db" | "config" | "clock">,
  input: { readonly before: LibraryPosition | null; readonly type?: MediaType | null; readonly limit?: number },
): Promise<Library> {
  const limit = Math.min(input.limit ?? PAGE_SIZE, PAGE_SIZE);
  const page = await selectLibraryPage(dbFor(ctx, ctx.actor.workspaceId), ctx.actor, {
    before: input.before,
    type: input.type ?? null,
    rows: limit + 1,
    usesPerItem: USES_PER_ITEM,
    now: ctx.clock.now(),
  });
  const items = page.rows.slice(0, limit).map((row) => ({
    ...toResolved(row, ctx.config),
    createdAt: row.createdAt,
    ...toUses(page.uses.filter(({ mediaId }) => mediaId === row.id)),
  }));
  const last = items.at(-1);
  return {
    items,
    next: page.rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null,
    usedBytes: page.usedBytes,
    limitBytes: ctx.actor.limits.storageBytes,
  };
}
