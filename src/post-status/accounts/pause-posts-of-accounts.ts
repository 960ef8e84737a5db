import type { Services } from "#context.ts";
import { disarmPosts } from "#arming/arm-posts.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";
import { markPausedForAccounts } from "./store-account-changes.ts";

/** Pauses scheduled posts whose only accounts need a new login. A repeated call has the same effect. */
export async function pausePostsOfAccounts(
  services: Pick<Services, "arm" | "clock" | "db" | "defer">,
  accountIds: readonly string[],
): Promise<{ readonly pausedPostIds: readonly string[] }> {
  if (accountIds.length === 0) {
    return { pausedPostIds: [] };
  }
  const paused = await markPausedForAccounts(services.db, accountIds, services.clock.now());
  disarmPosts(services, paused.map(armableFromRow));
  return { pausedPostIds: paused.map(({ id }) => id) };
}
