import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { addToHour, countHappenings } from "./store-count.ts";

const RETENTION_MS = 35 * DAY;
const MAX_DELETED_PER_RUN = 500;

/**
 * Counts the results of posts, logins, webhooks and previews since the last cron run. It also deletes counters that are
 * too old for any page.
 */
export async function countServiceHours(services: Pick<Services, "clock" | "db">): Promise<void> {
  const now = services.clock.now();
  const expiredHour = Math.floor((now - RETENTION_MS) / HOUR);
  await countHappenings(services.db, { now, expiredHour, limit: MAX_DELETED_PER_RUN });
}

export interface SyncOutcome {
  readonly platform: Platform;
  readonly state: "listed" | "refreshed" | "ended" | "failed";
}

/** Counts syncs of logins. If the run is killed before this call, its syncs are not counted. */
export async function countSyncs(
  { clock, db }: Pick<Services, "clock" | "db">,
  syncs: readonly SyncOutcome[],
): Promise<void> {
  const counts = Object.entries(Object.groupBy(syncs, ({ platform, state }) => `${platform}.${state}`));
  await addToHour(
    db,
    Math.floor(clock.now() / HOUR),
    counts.map(([label, group]) => ({ metric: "sync", label, count: group?.length ?? 0 })),
  );
}
