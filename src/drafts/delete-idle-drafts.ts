import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";

import { deleteDraftsBefore } from "./store.ts";

const IDLE_RETENTION_MS = 365 * DAY;
const ROWS_PER_RUN = 100;

/** Deletes drafts that nobody has changed for a year, and returns how many. The cron runs it every minute. */
export async function deleteIdleDrafts(services: Pick<Services, "clock" | "db">): Promise<number> {
  return await deleteDraftsBefore(services.db, services.clock.now() - IDLE_RETENTION_MS, ROWS_PER_RUN);
}
