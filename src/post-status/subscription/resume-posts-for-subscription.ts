import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";
import { markResumedForSubscription } from "./store-subscription-changes.ts";

/** How many posts are armed at once. The reconciler finds the others by `watch_at`. */
const MAX_ARMED_AT_ONCE = 100;

/**
 * Resumes posts that were paused only for the subscription, if their time is in the future. If a post's accounts cannot
 * be used now, it stays paused for that reason, so that reconnecting resumes it.
 */
export async function resumePostsForSubscription(services: ArmingServices, userIds: readonly string[]): Promise<void> {
  const resumed = await markResumedForSubscription(services.db, userIds, services.clock.now());
  const soonest = resumed.toSorted((a, b) => a.scheduled_at - b.scheduled_at).slice(0, MAX_ARMED_AT_ONCE);
  await armPosts(services, soonest.map(armableFromRow));
}
