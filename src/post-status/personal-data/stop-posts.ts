import type { Services } from "#context.ts";

import { disarmPosts } from "#arming/arm-posts.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";
import { cancelSomePosts } from "./store-user-posts.ts";

const POSTS_PER_STATEMENT = 200;
/**
 * How many alarms one call removes, because each takes a call of a Durable Object. An object with an alarm wakes at its
 * time, sees that its post was cancelled, and deletes its data.
 */
const DISARMED_PER_CALL = 300;

/**
 * Cancels the scheduled and paused posts of these workspaces, at most `limit`. If a post is partly published, its retry
 * is stopped instead. Returns how many; fewer than `limit` means that none is left.
 */
export async function stopPosts(
  services: Pick<Services, "arm" | "clock" | "db" | "defer">,
  workspaceIds: readonly string[],
  limit: number,
): Promise<number> {
  let stopped = 0;
  let disarmed = 0;
  for (const workspaceId of workspaceIds) {
    for (;;) {
      const some = { workspaceId, now: services.clock.now(), limit: POSTS_PER_STATEMENT };
      const { cancelled, count } = await cancelSomePosts(services.db, some);
      const told = cancelled.slice(0, Math.max(0, DISARMED_PER_CALL - disarmed));
      disarmPosts(services, told.map(armableFromRow));
      disarmed += told.length;
      stopped += count;
      if (count === 0) {
        break;
      }
      if (stopped >= limit) {
        return stopped;
      }
    }
  }
  return stopped;
}
