import type { Services } from "#context.ts";

import { ARCHIVE_PREFIX } from "./part-file.ts";
import { deleteIndexOfWorkspace } from "./store-parts.ts";

/** R2 lists and deletes at most this many objects in one call. */
const OBJECTS_PER_CALL = 1000;

/**
 * Deletes every archive file of these workspaces, also those that the index does not list, and then the index. It deletes at most `calls`
 * lists of 1,000 files and returns whether that was all. Safe to repeat.
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
      // A deleted file is in no later list, so every list starts at the beginning.
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
