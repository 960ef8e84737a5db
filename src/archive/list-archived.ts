import type { Services } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";
import { partKey, readPart } from "./part-file.ts";
import { selectParts } from "./store-parts.ts";
import { ARCHIVED_STATUSES, type ArchivedPost, type ArchivedStatus, type ArchivePart } from "./types.ts";

export interface ArchiveQuery {
  readonly status: ArchivedStatus | null;
  readonly from: number;
  readonly until: number;
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/**
 * How many groups of archive files are read in parallel. Reading a file takes several times its size, and an isolate
 * has 128 MB.
 */
const READS_AT_ONCE = 2;

/** Archive files (parts) whose time ranges overlap, so that their posts must be sorted together. */
type Group = readonly [ArchivePart, ...ArchivePart[]];

/**
 * Lists one page of the archived posts of the workspace, by time and id, and counts all that match. The index knows how
 * many posts each archive file has. So only the files of the page and at the ends of the time range are read. The page
 * ends with the file that brings it to 4 MiB.
 */
export async function listArchived(
  ctx: Pick<Services, "db" | "bucket"> & { readonly actor: Pick<Actor, "userId" | "workspaceId"> },
  query: ArchiveQuery,
): Promise<{ readonly posts: readonly ArchivedPost[]; readonly total: number }> {
  const { from, until, order, limit, offset } = query;
  const ascending = groupOverlapping(await selectParts(ctx.db, ctx.actor, { from, until }));
  const groups = order === "asc" ? ascending : ascending.toReversed();
  const counts = new Map<Group, number>();
  const contents = new Map<Group, readonly ArchivedPost[]>();
  const load = async (wanted: readonly Group[]) => {
    const missing = wanted.filter((group) => !contents.has(group));
    for (let start = 0; start < missing.length; start += READS_AT_ONCE) {
      const some = missing.slice(start, start + READS_AT_ONCE);
      await Promise.all(some.map(async (group) => contents.set(group, await readGroup(ctx, group, query))));
    }
  };
  await load(groups.filter((group) => isCut(group, query)));
  for (const group of groups) {
    counts.set(group, contents.get(group)?.length ?? countByIndex(group, query.status));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const { onPage, skipped } = selectGroups(groups, counts, { limit, offset });
  const posts: ArchivedPost[] = [];
  let characters = 0;
  let skip = offset - skipped;
  for (const group of onPage) {
    await load([group]);
    const found = (contents.get(group) ?? []).slice(skip, skip + limit - posts.length);
    skip = 0;
    posts.push(...found);
    characters += JSON.stringify(found).length;
    if (characters >= MAX_PAGE_BYTES) {
      break;
    }
  }
  return { posts, total };
}

function groupOverlapping(parts: readonly ArchivePart[]): Group[] {
  const groups: [ArchivePart, ...ArchivePart[]][] = [];
  let lastAt = -1;
  for (const part of parts) {
    const group = groups.at(-1);
    if (group !== undefined && part.firstAt <= lastAt) {
      group.push(part);
    } else {
      groups.push([part]);
    }
    lastAt = Math.max(lastAt, part.lastAt);
  }
  return groups;
}

/** Whether posts of the group may be outside the time range, so that its files must be read to count them. */
function isCut(group: Group, { from, until }: Pick<ArchiveQuery, "from" | "until">): boolean {
  return group.some((part) => part.firstAt < from || part.lastAt >= until);
}

function countByIndex(group: Group, status: ArchivedStatus | null): number {
  const statuses = status === null ? ARCHIVED_STATUSES : [status];
  const counts = group.flatMap((part) => statuses.map((name) => part.counts[name]));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Selects the archive files for a page of posts, and counts the matching posts before them. */
function selectGroups(
  groups: readonly Group[],
  counts: ReadonlyMap<Group, number>,
  { limit, offset }: Pick<ArchiveQuery, "limit" | "offset">,
): { readonly onPage: readonly Group[]; readonly skipped: number } {
  const onPage: Group[] = [];
  let before = 0;
  let skipped = 0;
  for (const group of groups) {
    const count = counts.get(group) ?? 0;
    if (before + count <= offset) {
      skipped += count;
    } else if (before < offset + limit && count > 0) {
      onPage.push(group);
    }
    before += count;
  }
  return { onPage, skipped };
}

/** Reads the posts of a group that match the query, in the order of the list. */
async function readGroup(
  { bucket }: Pick<Services, "bucket">,
  group: Group,
  { status, from, until, order }: ArchiveQuery,
): Promise<ArchivedPost[]> {
  const posts: ArchivedPost[] = [];
  for (const part of group) {
    const read = await readPart({ bucket }, partKey(part));
    posts.push(
      ...read.posts.filter(
        ({ post }) =>
          post.scheduled_at >= from && post.scheduled_at < until && (status === null || post.status === status),
      ),
    );
  }
  posts.sort(({ post: a }, { post: b }) => a.scheduled_at - b.scheduled_at || (a.id < b.id ? -1 : 1));
  return order === "asc" ? posts : posts.toReversed();
}
