import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";

import { type PostPosition, selectCountedDays, selectWholePosts, type WholePost } from "./store-whole-posts.ts";

/** The posts of a workspace with `from` <= time < `until`; null for the beginning and the end. */
export interface PostRange {
  readonly workspaceId: string;
  readonly from: number | null;
  readonly until: number | null;
}

/** A page is held in memory with all texts, attempts and changes of its posts. */
const POSTS_PER_READ = 100;

/** The posts of the range that are not archived, status by status and by time; cancelled ones too. */
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

/** Cuts the posts of a workspace at days into ranges of about `postsPerRange`, each with its number; a day is never cut. */
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
  // The last one also when no post is counted: cancelled ones are not.
  return [...ranges, { workspaceId, ...open, until: null }];
}
