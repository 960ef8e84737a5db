import type { Services } from "#context.ts";
import { claimDueDeletions } from "#personal-data/deletion/claim-deletions.ts";
import { deleteExpiredExports } from "#personal-data/export/store-exports.ts";

const EXPORTS_PER_RUN = 100;

/** Goes on with the deletions of users, and forgets the downloads that have expired. */
export async function deleteUsers(services: Services): Promise<void> {
  const deletions = await claimDueDeletions(services);
  if (deletions.length > 0) {
    // Loaded only then, because almost no run has one.
    const { carryOutDeletions } = await import("#personal-data/deletion/run-deletions.ts");
    await carryOutDeletions(services, deletions);
  }
  await deleteExpiredExports(services.db, services.clock.now(), EXPORTS_PER_RUN);
}
