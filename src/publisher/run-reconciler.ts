import type { Services } from "#context.ts";
import { checkDatabase } from "#posting/restore/check-database.ts";
import { reviewRestoredPosts } from "#posting/restore/review-posts.ts";
import { reconcile } from "./reconcile-overdue.ts";

/** The cron's part of publishing: arms overdue posts, but only in a database that was not put back to an earlier time. */
export async function runReconciler(
  services: Pick<Services, "adapterFor" | "arm" | "clock" | "config" | "db" | "ids" | "inspectRunner" | "watch">,
): Promise<void> {
  const { held, beat } = await checkDatabase(services);
  if (held === "reviewing") {
    await reviewRestoredPosts(services);
    return;
  }
  if (held === null && !services.config.publishingHeld) {
    await reconcile(services, { beat });
  }
}
