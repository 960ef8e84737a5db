import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { claimDeletions, type UserDeletion } from "./store-user-deletions.ts";

const DELETIONS_PER_RUN = 3;
/** A run that has not finished by then was ended; longer than a run of the cron may take. */
const LEASE_MS = 16 * MINUTE;

/** The deletions of users that this run of the cron goes on with; no other run takes them meanwhile. */
export async function claimDueDeletions({
  db,
  clock,
}: Pick<Services, "db" | "clock">): Promise<readonly UserDeletion[]> {
  const now = clock.now();
  return await claimDeletions(db, { now, until: now + LEASE_MS, limit: DELETIONS_PER_RUN });
}
