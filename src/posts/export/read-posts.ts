import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";

import { type PostPosition, selectCountedDays, selectWholePosts, type WholePost } from "./store-whole-posts.ts";

/** The posts of a workspace with `from` <= time < `until`. Null means no limit on that side. */
export interface PostRange {
  readonly workspaceId: string;
  readonly from: number | null;
  readonly until: number | null;
}

/** Pages are small, because a page is in memory with all texts, attempts and changes of its posts. */
const POSTS_PER_READ = 100;

/** Reads the posts of the range that are not archived, cancelled ones too, status by status and ordered by time. */
export async function* readLivePosts(
  services: Pick<Services, "db">,
  { workspaceId, from, until }: PostRange,
): AsyncGenerator<readonly WholePost[]> {
  const db = services.db;
  for (const status of [...POST_STATUSES, "cancelled"] as const) {
    let after: PostPosition = { scheduledAt: from ?? 0, id: "" };
    for (;;) {
      const posts = await selectWholePosts(db, { workspaceId, status, after, until, limit: POSTS_PER_READ });
      yield posts;
      const last = posts.at(-1)?.post;
      if (posts.length < POSTS_PER_READ || last === undefined) {
        break;
      }
      after = { scheduledAt: last.scheduled_at, id: last.id };
    }
  }
}

/**
 * Splits the posts of a workspace into ranges of about `postsPerRange`, each with its number of posts. A range begins and ends at midnight
 * UTC, so no day is split.
 */
export async function splitPosts(
  services: Pick<Services, "db">,
  workspaceId: string,
  postsPerRange: number,
): Promise<readonly (PostRange & { readonly posts: number })[]> {
  const ranges: (PostRange & { readonly posts: number })[] = [];
  let open = { from: null as number | null, posts: 0 };
  for (const { day, posts } of await selectCountedDays(services.db, workspaceId)) {
    if (open.posts > 0 && open.posts + posts > postsPerRange) {
      ranges.push({ workspaceId, ...open, until: day * DAY });
      open = { from: day * DAY, posts: 0 };
    }
    open = { from: open.from, posts: open.posts + posts };
  }
  // Add the last range even if it counts no post, because cancelled posts are not counted.
  return [...ranges, { workspaceId, ...open, until: null }];
}
