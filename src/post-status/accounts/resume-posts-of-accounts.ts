import type { Services } from "#context.ts";
import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";
import { markResumedForAccounts } from "./store-account-changes.ts";

/**
 * Resumes posts that were paused for accounts which can be used again, if their time is in the future. A repeated call
 * has the same effect.
 */
export async function resumePostsOfAccounts(
  services: ArmingServices & Pick<Services, "config">,
  accountIds: readonly string[],
): Promise<{ readonly resumedPostIds: readonly string[] }> {
  if (accountIds.length === 0) {
    return { resumedPostIds: [] };
  }
  const needsSubscription = services.config.planForAll === null;
  const changed = await markResumedForAccounts(services.db, accountIds, {
    now: services.clock.now(),
    needsSubscription,
  });
  const resumed = changed.filter(({ status }) => status === "scheduled");
  await armPosts(services, resumed.map(armableFromRow));
  return { resumedPostIds: resumed.map(({ id }) => id) };
}
