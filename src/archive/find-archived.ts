import type { Services } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import { MIN_ARCHIVE_AFTER_DAYS } from "#core/plan.ts";
import { partKey, readPart } from "./part-file.ts";
import { findPartOfPost, selectArchivedIds } from "./store-parts.ts";
import type { ArchivedPost } from "./types.ts";

type Owner = Pick<Actor, "userId" | "workspaceId">;

/**
 * Whether a post is old enough for the archive, by the creation time in its id. This saves a query for most unknown
 * ids.
 */
function mayBeArchived(id: string, now: number): boolean {
  const madeAt = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  return id[14] === "7" && madeAt < now - MIN_ARCHIVE_AFTER_DAYS * DAY;
}

export async function archivedAmong(
  ctx: Pick<Services, "db" | "clock"> & { readonly actor: Owner },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const old = ids.filter((id) => mayBeArchived(id, ctx.clock.now()));
  const db = ctx.db;
  return new Set(old.length === 0 ? [] : await selectArchivedIds(db, ctx.actor, old));
}

export async function isArchived(ctx: Parameters<typeof archivedAmong>[0], id: string): Promise<boolean> {
  return (await archivedAmong(ctx, [id])).has(id);
}

/** Finds an archived post of the actor by id; undefined for another user's post. */
export async function findArchived(
  ctx: Pick<Services, "db" | "bucket" | "clock"> & { readonly actor: Owner },
  id: string,
): Promise<ArchivedPost | undefined> {
  if (!mayBeArchived(id, ctx.clock.now())) {
    return undefined;
  }
  const part = await findPartOfPost(ctx.db, ctx.actor, id);
  if (part === undefined) {
    return undefined;
  }
  const { posts } = await readPart(ctx, partKey(part));
  return posts.find(({ post }) => post.id === id);
}
