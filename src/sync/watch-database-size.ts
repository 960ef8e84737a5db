import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { isNear } from "#metrics/service-limits.ts";
import { markFull, readDatabaseSize } from "./store.ts";

/** Notifies the operator once when the database becomes nearly full, and once when it is not any more. */
export async function watchDatabaseSize({
  db,
  config,
  clock,
}: Pick<Services, "db" | "config" | "clock">): Promise<void> {
  const limit = config.databaseLimitBytes;
  const { sizeBytes, isTold } = await readDatabaseSize(db);
  const isFull = isNear(sizeBytes, limit);
  if (isFull !== isTold && (await markFull(db, isFull ? clock.now() : null))) {
    const fields = { bytes: sizeBytes, limit, percent: Math.floor((sizeBytes * 100) / limit) };
    // The operator's alert looks for this log line.
    log(isFull ? "error" : "info", isFull ? "database.nearly_full" : "database.no_longer_nearly_full", fields);
  }
}
