import type { Services } from "#context.ts";

import { mediaKey } from "#media/urls.ts";
import { claimMediaOfWorkspaces, deleteRemoved, deleteUploadsOfUser, stagedObjectsOfUser } from "./store-sweep.ts";

/** How many objects one call deletes; R2 allows no more. */
const OBJECTS_PER_CALL = 1000;
const ROWS_PER_ROUND = 200;

/**
 * Deletes all media of a user, at most `rounds` times 200 items. Returns whether nothing is left. A file stays if
 * another user's workspace has the same one. Safe to repeat.
 */
export async function eraseMedia(
  services: Pick<Services, "db" | "bucket" | "clock">,
  { userId, workspaceIds }: { readonly userId: string; readonly workspaceIds: readonly string[] },
  rounds: number,
): Promise<boolean> {
  const { bucket, clock } = services;
  const db = services.db;
  const staged = await stagedObjectsOfUser(db, userId);
  for (let start = 0; start < staged.length; start += OBJECTS_PER_CALL) {
    await bucket.delete(staged.slice(start, start + OBJECTS_PER_CALL));
  }
  for (let round = 0; round < rounds; round += 1) {
    const claimed = await claimMediaOfWorkspaces(db, workspaceIds, { now: clock.now(), limit: ROWS_PER_ROUND });
    const keys = [...new Set(claimed.flatMap(({ sha256, last }) => (last === 1 ? [mediaKey(sha256)] : [])))];
    await (keys.length > 0 ? bucket.delete(keys) : null);
    await deleteRemoved(
      db,
      claimed.map(({ id }) => id),
    );
    if (claimed.length < ROWS_PER_ROUND) {
      await deleteUploadsOfUser(db, userId);
      return true;
    }
  }
  return false;
}
