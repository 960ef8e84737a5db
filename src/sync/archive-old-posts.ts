import { archivePosts } from "#archive/index.ts";
import type { Services } from "#context.ts";
import { log } from "#core/log.ts";

/** Moves finished posts that are older than the plan's retention to the archive. */
export async function archiveOldPosts(services: Services): Promise<void> {
  const run = await archivePosts(services);
  if (run !== null && run.posts + run.orphans > 0) {
    log("info", "posts_archived", { posts: run.posts, parts: run.parts, removed_files: run.orphans });
  }
}
