import type { Context } from "#context.ts";
import type { FileType, PostStatus } from "#core/status.ts";
import type { DraftUseRow } from "#media/store-draft-uses.ts";
import { toResolved } from "#media/store.ts";
import type { ResolvedFile } from "#media/types.ts";
import { type LibraryPosition, type MediaUseRow, selectLibraryPage } from "./store-library.ts";

const PAGE_SIZE = 48;
/** How many posts and drafts are listed for each item. Further ones are only counted. */
export const USES_PER_ITEM = 3;

interface MediaUse {
  readonly postId: string;
  readonly scheduledAt: number;
  readonly status: PostStatus;
}

export interface MediaUses {
  /** How many posts use the item; cancelled posts do not count. */
  readonly count: number;
  /** Some posts that use the item, the next one to be published first. */
  readonly posts: readonly MediaUse[];
  /** How many drafts use the item, and the ids of the newest. */
  readonly drafts: { readonly count: number; readonly ids: readonly string[] };
}

export interface LibraryItem extends ResolvedFile, MediaUses {
  readonly createdAt: number;
}

export interface Library {
  readonly items: readonly LibraryItem[];
  /** The position from which the next page begins; null on the last page. */
  readonly next: LibraryPosition | null;
  /** The bytes that all workspaces of the user have stored, including incomplete uploads. */
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export function toUses(rows: readonly MediaUseRow[], drafts: readonly DraftUseRow[]): MediaUses {
  return {
    count: rows[0]?.uses ?? 0,
    posts: rows.map(({ postId, scheduledAt, status }) => ({ postId, scheduledAt, status })),
    drafts: { count: drafts[0]?.uses ?? 0, ids: drafts.map(({ draftId }) => draftId) },
  };
}

/** Lists the usable media of the active workspace, newest first. */
export async function listMedia(
  ctx: Pick<Context, "actor" | "db" | "config" | "clock">,
  input: { readonly before: LibraryPosition | null; readonly type?: FileType | null; readonly limit?: number },
): Promise<Library> {
  const limit = Math.min(input.limit ?? PAGE_SIZE, PAGE_SIZE);
  const page = await selectLibraryPage(ctx.db, ctx.actor, {
    before: input.before,
    type: input.type ?? null,
    rows: limit + 1,
    usesPerItem: USES_PER_ITEM,
    now: ctx.clock.now(),
  });
  const items = page.rows.slice(0, limit).map((row) => ({
    ...toResolved(row, ctx.config),
    createdAt: row.createdAt,
    ...toUses(
      page.uses.filter(({ mediaId }) => mediaId === row.id),
      page.draftUses.filter(({ mediaId }) => mediaId === row.id),
    ),
  }));
  const last = items.at(-1);
  return {
    items,
    next: page.rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null,
    usedBytes: page.usedBytes,
    limitBytes: ctx.actor.limits.storageBytes,
  };
}
