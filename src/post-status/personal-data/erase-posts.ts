import type { Services } from "#context.ts";

import { deleteCounters, deleteSomePosts, isPublishing } from "./store-user-posts.ts";

const POSTS_PER_STATEMENT = 500;

/**
 * Deletes the posts of these workspaces, at most `rounds` times 500. Returns `publishing`, with nothing deleted, if a
 * post is publishing. Safe to repeat.
 */
export async function erasePosts(
  services: Pick<Services, "db">,
  workspaceIds: readonly string[],
  rounds: number,
): Promise<"erased" | "more" | "publishing"> {
  const db = services.db;
  if (await isPublishing(db, workspaceIds)) {
    return "publishing";
  }
  await deleteCounters(db, workspaceIds);
  for (let round = 0; round < rounds; round += 1) {
    if ((await deleteSomePosts(db, workspaceIds, POSTS_PER_STATEMENT)) < POSTS_PER_STATEMENT) {
      return "erased";
    }
  }
  return "more";
}
