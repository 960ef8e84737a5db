import type { Services } from "#context.ts";

import { disarmPosts } from "#arming/arm-posts.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";
import { cancelSomePosts } from "./store-user-posts.ts";

const POSTS_PER_STATEMENT = 200;
/** A call to an object for each; what is not told wakes at its time, finds that its post was cancelled, and forgets it. */
const DISARMED_PER_CALL = 300;

/**
 * Cancels the scheduled and paused posts of these workspaces and stops the retries of those of which something is public; at most
 * `limit` posts. Returns how many; fewer than the limit when none is left.
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
