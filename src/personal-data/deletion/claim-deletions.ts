import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { claimDeletions, type UserDeletion } from "./store-user-deletions.ts";

const DELETIONS_PER_RUN = 3;
/**
 * How long (ms) a run may work on a deletion. It is longer than a cron run can take, so a run that exceeds it was
 * killed.
 */
const LEASE_MS = 16 * MINUTE;

/** Claims the deletions that this cron run continues. No other run takes them meanwhile. */
export async function claimDueDeletions({
  db,
  clock,
}: Pick<Services, "db" | "clock">): Promise<readonly UserDeletion[]> {
  const now = clock.now();
  return await claimDeletions(db, { now, until: now + LEASE_MS, limit: DELETIONS_PER_RUN });
}
