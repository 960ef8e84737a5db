import type { Services } from "#context.ts";
import { isBehind } from "#core/database-watch.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { beatOrHold, readService, type ServiceRow } from "./store-service.ts";

/**
 * The heartbeat of the cron. The object is asked before the database is read, and told only what the database has committed,
 * so a database below the object's mark was put back to an earlier time.
 */
export async function checkDatabase(services: Pick<Services, "db" | "clock" | "watch">): Promise<ServiceRow> {
  const highest = await services.watch.highest();
  const row = await beatOrHold(services.db, highest, services.clock.now());
  if (row.held === null) {
    await services.watch.remember({ epoch: row.epoch, beat: row.beat });
  } else {
    // In every run while it lasts: this line is what the operator's alert watches for.
    log("error", "service.held", {
      reason: row.held,
      beat: row.beat,
      lastBeat: highest.beat,
      reviewedTo: row.reviewedTo,
    });
  }
  return row;
}

/** Whether the database may be acted on outside the cron: it is not held, and it was not put back since the last heartbeat. */
export async function isDatabaseCurrent(services: Pick<Services, "db" | "watch">): Promise<boolean> {
  const highest = await services.watch.highest();
  const row = await readService(services.db);
  return row.held === null && !isBehind(row, highest);
}

/** For calls that would let something be published; they read this only after their statement changed nothing. */
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
