import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { cleanUp } from "./clean-up.ts";
import { lapseDue } from "./lapse-due.ts";
import { syncDue } from "./sync-due.ts";

/** One run of the minute cron; a job that fails does not take the others with it. */
export async function runCron(services: Services): Promise<void> {
  await run("lapse", async () => await lapseDue(services));
  await run("account_sync", async () => await syncDue(services));
  await run("clean_up", async () => await cleanUp(services));
}

async function run(job: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log("error", "cron_job_failed", { job, error: error instanceof Error ? error.name : typeof error });
  }
}
