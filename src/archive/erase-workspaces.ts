import type { Services } from "#context.ts";

import { ARCHIVE_PREFIX } from "./part-file.ts";
import { deleteIndexOfWorkspace } from "./store-parts.ts";

/** How many objects one call lists and deletes; R2 allows no more. */
const OBJECTS_PER_CALL = 1000;

/**
 * Deletes every archive file of these workspaces, then their index. One call makes at most `calls` lists of 1,000 files
 * and returns whether everything is deleted. Safe to repeat.
 */
export async function eraseArchive(
  services: Pick<Services, "db" | "bucket">,
  workspaceIds: readonly string[],
  calls: number,
): Promise<boolean> {
  const { bucket } = services;
  let left = calls;
  for (const workspaceId of workspaceIds) {
    for (;;) {
      // The list always starts at the beginning, because deleted files no longer appear in it.
      const { objects } = await bucket.list({ prefix: `${ARCHIVE_PREFIX}${workspaceId}/`, limit: OBJECTS_PER_CALL });
      if (objects.length === 0) {
        break;
      }
      if (left === 0) {
        return false;
      }
      left -= 1;
      await bucket.delete(objects.map(({ key }) => key));
    }
    await deleteIndexOfWorkspace(services.db, workspaceId, ARCHIVE_PREFIX);
  }
  return true;
}
