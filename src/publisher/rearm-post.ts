import type { Services } from "#context.ts";
import { findOverduePosts, recordArmingResults } from "#arming/find-overdue-posts.ts";
import { isDatabaseCurrent } from "#restore/check-database.ts";

/**
 * Arms a post that was overdue when it was read, so that it is published even if the cron does not run. A restored
 * database shows published posts as overdue, so the database is checked first.
 */
export async function rearmPost(
  services: Pick<Services, "adapterFor" | "arm" | "clock" | "config" | "db" | "watch">,
  postId: string,
): Promise<void> {
  if (services.config.publishingHeld || !(await isDatabaseCurrent(services))) {
    return;
  }
  const [hint] = await findOverduePosts(services, { limit: 1, beat: 0, postId });
  if (hint === undefined) {
    return;
  }
  await services.arm(hint);
  await recordArmingResults(services, [hint], new Set([postId]));
}
