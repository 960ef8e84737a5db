import type { Services } from "#context.ts";
import { reviewRestoredPosts } from "#publisher/restore/review-posts.ts";
import type { ServiceRow } from "#restore/store-service.ts";
import { reconcile } from "./reconcile-overdue.ts";

/** The cron's part of publishing, after `checkDatabase`: arms overdue posts, or reviews posts after a restore. */
export async function runReconciler(
  services: Pick<Services, "adapterFor" | "arm" | "clock" | "config" | "db" | "ids" | "inspectRunner" | "watch">,
  { held, beat }: Pick<ServiceRow, "held" | "beat">,
): Promise<void> {
  if (held === "reviewing") {
    await reviewRestoredPosts(services);
    return;
  }
  if (held === null && !services.config.publishingHeld) {
    await reconcile(services, { beat });
  }
}
