import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { claimDeletions, type UserDeletion } from "./store-user-deletions.ts";

const DELETIONS_PER_RUN = 3;
/** A run that takes longer was stopped. This is longer than a run of the cron may take. */
const LEASE_MS = 16 * MINUTE;

/** Claims the deletions that this run of the cron continues; no other run takes them in the meantime. */
export async function claimDueDeletions({
  db,
  clock,
}: Pick<Services, "db" | "clock">): Promise<readonly UserDeletion[]> {
  const now = clock.now();
  return await claimDeletions(db, { now, until: now + LEASE_MS, limit: DELETIONS_PER_RUN });
}
