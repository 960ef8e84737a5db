import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { ARCHIVE_PREFIX, partIdOf } from "./part-file.ts";
import { forgetOrphans, markOrphans, selectPartIds, type WorkspaceRange } from "./store-orphans.ts";

/**
 * How long an archive file without a row in the index is kept. A restore of D1 cannot go further back, so a restored
 * row still finds its file.
 */
const ORPHAN_RETENTION_MS = 35 * DAY;
/** How many objects one call lists and deletes; R2 allows no more. */
const OBJECTS_PER_CALL = 1000;
const PAGES_PER_SWEEP = 20;

/**
 * Deletes files of these workspaces that the index has not listed for 35 days. They come from interrupted runs, or a
 * restore brought their posts back into the database. Returns how many.
 */
export async function sweepOrphans(
  services: Pick<Services, "db" | "bucket" | "clock">,
  range: WorkspaceRange,
): Promise<number> {
  const { bucket, clock } = services;
  const db = services.db;
  const keys = await listKeys(bucket, range);
  if (keys.length === 0) {
    return 0;
  }
  // Read the index after the list of files: the file of a part is written before its row, so the other order would call
  // a new file an orphan.
  const indexed = await selectPartIds(db, range);
  const orphans = keys.filter((key) => !indexed.has(partIdOf(key)));
  const now = clock.now();
  const indexedKeys = keys.filter((key) => indexed.has(partIdOf(key)));
  const expired = await markOrphans(db, orphans, indexedKeys, { now, before: now - ORPHAN_RETENTION_MS });
  for (let start = 0; start < expired.length; start += OBJECTS_PER_CALL) {
    await bucket.delete(expired.slice(start, start + OBJECTS_PER_CALL));
  }
  await (expired.length > 0 ? forgetOrphans(db, expired) : null);
  return expired.length;
}

async function listKeys(bucket: Services["bucket"], { after, to }: WorkspaceRange): Promise<string[]> {
  const keys: string[] = [];
  // Start after all files of the last finished workspace. `~` sorts after every character that a key can have there.
  let startAfter = after === "" ? ARCHIVE_PREFIX : `${ARCHIVE_PREFIX}${after}/~`;
  for (let page = 0; page < PAGES_PER_SWEEP; page += 1) {
    const { objects, truncated } = await bucket.list({ prefix: ARCHIVE_PREFIX, startAfter, limit: OBJECTS_PER_CALL });
    const inRange = objects.filter(({ key }) => to === null || key <= `${ARCHIVE_PREFIX}${to}/~`);
    keys.push(...inRange.map(({ key }) => key));
    const last = objects.at(-1)?.key;
    if (!truncated || last === undefined || inRange.length < objects.length) {
      break;
    }
    startAfter = last;
  }
  return keys;
}
