import type { Services } from "#context.ts";
import { type Arming, armPosts } from "#posting/arming/arm-posts.ts";
import { toArmable } from "#posting/arming/armable-post.ts";
import { readmit } from "./store-account-changes.ts";

/** Accounts that came back: what waited for them alone and is still to come goes on at its time. Repeatable. */
export async function readmitAccounts(
  services: Arming & Pick<Services, "config">,
  accountIds: readonly string[],
): Promise<{ readonly resumedPostIds: readonly string[] }> {
  if (accountIds.length === 0) {
    return { resumedPostIds: [] };
  }
  const needsSubscription = services.config.planForAll === null;
  const changed = await readmit(services.db, accountIds, { now: services.clock.now(), needsSubscription });
  const resumed = changed.filter(({ status }) => status === "scheduled");
  await armPosts(services, resumed.map(toArmable));
  return { resumedPostIds: resumed.map(({ id }) => id) };
}
