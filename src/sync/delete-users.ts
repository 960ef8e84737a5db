import type { Services } from "#context.ts";
import { claimDueDeletions } from "#personal-data/deletion/claim-deletions.ts";
import { deleteExpiredExports } from "#personal-data/export/store-exports.ts";

const EXPORTS_PER_RUN = 100;

/** Continues the deletion of users, and removes expired downloads. */
export async function deleteUsers(services: Services): Promise<void> {
  const deletions = await claimDueDeletions(services);
  if (deletions.length > 0) {
    // Loaded lazily, because almost no run needs it.
    const { carryOutDeletions } = await import("#personal-data/deletion/run-deletions.ts");
    await carryOutDeletions(services, deletions);
  }
  await deleteExpiredExports(services.db, services.clock.now(), EXPORTS_PER_RUN);
}
