import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";

import { type PostPosition, selectCountedDays, selectWholePosts, type WholePost } from "./store-whole-posts.ts";

/** The posts of a workspace with `from` <= time < `until`. Null means that this side has no limit. */
export interface PostRange {
  readonly workspaceId: string;
  readonly from: number | null;
  readonly until: number | null;
}

/** How many posts one read returns. It is small, because all texts, attempts and changes of the posts are in memory. */
const POSTS_PER_READ = 100;

/** Reads the posts of a range that are not archived, including cancelled ones, status by status and ordered by time. */
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
 * Divides the posts of a workspace into ranges of about `postsPerRange`, with their numbers of posts. A range begins
 * and ends at midnight UTC, so that no day is divided.
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
