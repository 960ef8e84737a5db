import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { isDatabaseCurrent } from "#restore/check-database.ts";
import { RUN_LEASE_MS } from "#publisher/run/claim-post.ts";
import { armAll, type ArmablePost, type ArmingServices, WATCH_LATE_MS } from "./arm-posts.ts";
import { setWatchAtOfArmed } from "./store-watch-at.ts";

/** The most overdue posts that one read arms again. */
const MAX_REARMED = 20;

/**
 * Arms overdue posts again whenever they are read, after the response; the cron may not run. A database that was put back shows
 * published posts as overdue, so it is checked first.
 */
export function rearmOverdue<Row extends { readonly watch_at: number | null }>(
  services: ArmingServices & Pick<Services, "config" | "watch">,
  rows: readonly Row[],
  toArmable: (row: Row) => ArmablePost,
): void {
  const now = services.clock.now();
  const overdue = rows.filter((row) => row.watch_at !== null && row.watch_at <= now).slice(0, MAX_REARMED);
  if (overdue.length > 0) {
    services.defer(rearm(services, overdue.map(toArmable)));
  }
}

/** An object that is armed need not be again by the next read. */
async function rearm(
  services: ArmingServices & Pick<Services, "config" | "watch">,
  posts: readonly ArmablePost[],
): Promise<void> {
  try {
    if (services.config.publishingHeld || !(await isDatabaseCurrent(services))) {
      return;
    }
    const unarmed = new Set(await armAll(services, posts));
    const armed = posts.filter((post) => !unarmed.has(post));
    if (armed.length > 0) {
      const now = services.clock.now();
      await setWatchAtOfArmed(services.db, armed, {
        now,
        graceMs: WATCH_LATE_MS,
        leaseMs: RUN_LEASE_MS,
      });
    }
  } catch (error) {
    log("warn", "arm.overdue_not_armed", { posts: posts.length, reason: String(error) });
  }
}
