import { findExpiredSubscriptions } from "#auth/index.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";

/** Ends expired subscriptions and pauses their users' scheduled posts, in one transaction. */
export async function endExpiredSubscriptions(services: Services): Promise<void> {
  const lapses = await findExpiredSubscriptions(services);
  if (lapses !== null) {
    await pausePostsForSubscription(services, lapses.userIds, [lapses.statement]);
    log("info", "subscriptions_lapsed", { users: lapses.userIds.length });
  }
}
