import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { countStatements } from "#db/count-statements.ts";
import { countServiceHours, watchService } from "#metrics/index.ts";
import { announceEnds, sendAlerts } from "#notices/index.ts";
import { finishOpenDeletions } from "#post-status/index.ts";
import { movePostTotals } from "#posts/summary/store-move-post-totals.ts";
import { endWebhooksOfExpiredKeys } from "#webhooks/index.ts";
import { archiveOldPosts } from "./archive-old-posts.ts";
import { deleteExpiredData } from "./delete-expired-data.ts";
import { deleteUsers } from "./delete-users.ts";
import { endExpiredSubscriptions } from "./end-expired-subscriptions.ts";
import { resealOldSecrets } from "./reseal-old-secrets.ts";
import { createRunBudget } from "./run-budget.ts";
import { syncDueAccounts } from "./sync-due-accounts.ts";
import { watchDatabaseSize } from "./watch-database-size.ts";

const TOTALS_PER_RUN = 200;

/**
 * Runs the jobs of the minute cron in parallel, so that one that fails or hangs does not stop the others. While a
 * restored database is held, jobs that act on its content do not run, because newer data may still be merged: refresh
 * tokens may have been replaced (a reused one can end the login), subscriptions paid, people notified.
 */
export async function runCron(
  uncounted: Services,
  { isHeld = false }: { readonly isHeld?: boolean } = {},
): Promise<void> {
  const { db, statements } = countStatements(uncounted.db);
  const services: Services = { ...uncounted, db };
  const always = [
    runJob("service_hours", async () => await countServiceHours(services)),
    runJob("operator_alerts", async () => await watchService(services)),
    runJob("database_size", async () => await watchDatabaseSize(services)),
  ];
  if (isHeld) {
    await Promise.all(always);
    return;
  }
  const budget = createRunBudget({ clock: services.clock, statements });
  const synced = runJob("account_sync", async () => await syncDueAccounts(services, budget));
  await Promise.all([
    ...always,
    runJob("end_expired_subscriptions", async () => await endExpiredSubscriptions(services)),
    runJob("end_webhooks_of_keys", async () => await endWebhooksOfExpiredKeys(services)),
    runJob("finish_data_deletions", async () => await finishOpenDeletions(services)),
    runJob("announce_ends", async () => await announceEnds(services)),
    runJob("alert_mails", async () => await sendAlerts(services)),
    runJob("day_totals", async () => void (await movePostTotals(services.db, services.clock.now(), TOTALS_PER_RUN))),
    runJob("reseal_secrets", async () => await resealOldSecrets(services)),
    runJob("delete_expired_data", async () => await deleteExpiredData(services)),
  ]);
  // Run this job alone, because it makes as many calls as an invocation may. A hanging platform must not delay it.
  await runJob("delete_users", async () => await deleteUsers(services));
  await synced;
  // Run this job last, because it uses the most processor time. If the runtime stops it, everything else is done.
  await runJob("archive_posts", async () => await archiveOldPosts(services));
}

async function runJob(job: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log("error", "cron_job_failed", { job, error: error instanceof Error ? error.name : typeof error });
  }
}
