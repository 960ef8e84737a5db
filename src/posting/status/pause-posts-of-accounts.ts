import type { Services } from "#context.ts";
import { disarmPosts } from "#posting/arming/arm-posts.ts";
import { toArmable } from "#posting/arming/armable-post.ts";
import { pauseStranded } from "./store-account-changes.ts";

/** Accounts that need a new login: scheduled posts that have no other account left wait for it. Repeatable. */
export async function pauseForAccounts(
  services: Pick<Services, "arm" | "clock" | "db" | "defer">,
  accountIds: readonly string[],
): Promise<{ readonly pausedPostIds: readonly string[] }> {
  if (accountIds.length === 0) {
    return { pausedPostIds: [] };
  }
  const paused = await pauseStranded(services.db, accountIds, services.clock.now());
  disarmPosts(services, paused.map(toArmable));
  return { pausedPostIds: paused.map(({ id }) => id) };
}
