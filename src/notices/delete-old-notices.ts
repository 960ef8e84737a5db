import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { deleteNoticesBefore } from "./store-upkeep.ts";

const RETENTION_MS = 30 * DAY;
const MAX_ROWS_PER_CALL = 500;

/** Deletes a limited number of notices that were open for 30 days. Returns how many. */
export async function deleteOldNotices({ clock, db }: Pick<Services, "clock" | "db">): Promise<number> {
  return await deleteNoticesBefore(db, clock.now() - RETENTION_MS, MAX_ROWS_PER_CALL);
}
