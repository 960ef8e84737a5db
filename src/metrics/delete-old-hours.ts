import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { deleteHoursBefore } from "./store-count.ts";

const RETENTION_MS = 35 * DAY;
const MAX_ROWS_PER_CALL = 500;

/** Deletes counters of hours that no page shows any more, a bounded number per call; returns how many. */
export async function deleteOldHours({ clock, db }: Pick<Services, "clock" | "db">): Promise<number> {
  return await deleteHoursBefore(db, Math.floor((clock.now() - RETENTION_MS) / HOUR), MAX_ROWS_PER_CALL);
}
