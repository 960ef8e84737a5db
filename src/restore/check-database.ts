import type { Services } from "#context.ts";
import { isBehind } from "#core/database-watch.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { beatOrHold, readService, type ServiceRow } from "./store-service.ts";

/**
 * Finds out in every cron run whether the database was restored to an earlier time. A Durable Object (`watch`) keeps
 * the highest counter that the database has committed. It is read before the database and raised after the commit. So a
 * database with a lower counter was restored.
 */
export async function checkDatabase(services: Pick<Services, "db" | "clock" | "watch">): Promise<ServiceRow> {
  const highest = await services.watch.highest();
  const row = await beatOrHold(services.db, highest, services.clock.now());
  if (row.held === null) {
    await services.watch.remember({ epoch: row.epoch, beat: row.beat });
  } else {
    // Log this in every run while the database is held, because the operator's alert looks for this line.
    log("error", "service.held", {
      reason: row.held,
      beat: row.beat,
      lastBeat: highest.beat,
      reviewedTo: row.reviewedTo,
    });
  }
  return row;
}

/**
 * Whether code outside the cron may act on the database: it is not held, and it was not restored since the last cron
 * run.
 */
export async function isDatabaseCurrent(services: Pick<Services, "db" | "watch">): Promise<boolean> {
  const highest = await services.watch.highest();
  const row = await readService(services.db);
  return row.held === null && !isBehind(row, highest);
}

/**
 * Refuses a call that would publish or schedule something while the database is held. Callers use it only after their
 * statement has changed nothing, so that usual calls read nothing more.
 */
export async function refuseWhileHeld({ db }: Pick<Services, "db">): Promise<void> {
  const { held } = await readService(db);
  if (held !== null) {
    refuse({
      code: "service_held",
      message:
        "the database was put back to an earlier time and the operator checks the posts: nothing is scheduled or published until then, reads and previews work",
      retryAfterSeconds: MINUTE / SECOND,
    });
  }
}
