import { type Db } from "#db/client.ts";
import type { Services } from "#context.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { STAGING_PREFIX } from "#media/storage/staged-file.ts";
import {
  expireUnusedMedia,
  claimRemovals,
  deleteRemoved,
  deleteCompletedUploads,
  findAbandonedUploads,
} from "./store-sweep.ts";
import { deleteOpenUploads } from "#media/upload/store-uploads.ts";
import { mediaKey } from "#media/urls.ts";

const ROWS_PER_RUN = 100;
/** How many objects one call lists and deletes; R2 allows no more. */
const OBJECTS_PER_CALL = 1000;
const PAGES_PER_RUN = 20;
const STAGED_OBJECT_MAX_AGE_MS = DAY + HOUR;

export interface SweepResult {
  readonly removedMedia: number;
  readonly removedObjects: number;
  readonly abandonedUploads: number;
  readonly abandonedObjects: number;
}

async function removeMedia(db: Db, { bucket }: Pick<Services, "bucket">, now: number) {
  const removals = await claimRemovals(db, now, ROWS_PER_RUN);
  const keys = [...new Set(removals.flatMap(({ sha256, last }) => (last === 1 ? [mediaKey(sha256)] : [])))];
  if (removals.length > 0) {
    await (keys.length > 0 ? bucket.delete(keys) : null);
    await failpoint("media.objects_deleted");
    await deleteRemoved(
      db,
      removals.map(({ id }) => id),
    );
  }
  return { removedMedia: removals.length, removedObjects: keys.length };
}

async function deleteAbandonedUploads(db: Db, now: number): Promise<number> {
  const ids = await findAbandonedUploads(db, now, ROWS_PER_RUN);
  await (ids.length > 0 ? deleteOpenUploads(db, ids) : null);
  return ids.length;
}

/** Deletes objects of unfinished transfers that are older than the longest possible transfer. */
async function deleteAbandonedObjects({ bucket }: Pick<Services, "bucket">, now: number): Promise<number> {
  let deleted = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_PER_RUN; page += 1) {
    const listed = await bucket.list({
      prefix: STAGING_PREFIX,
      limit: OBJECTS_PER_CALL,
      ...(cursor !== undefined && { cursor }),
    });
    const expired = listed.objects
      .filter(({ uploaded }) => uploaded.getTime() <= now - STAGED_OBJECT_MAX_AGE_MS)
      .map(({ key }) => key);
    await (expired.length > 0 ? bucket.delete(expired) : null);
    deleted += expired.length;
    if (!listed.truncated) {
      break;
    }
    cursor = listed.cursor;
  }
  return deleted;
}

/**
 * Removes media unused for 30 days, abandoned uploads and old objects of transfers. The cron runs it every minute.
 * Every step is limited, and the next run continues.
 */
export async function sweepMedia(services: Pick<Services, "db" | "bucket" | "clock">): Promise<SweepResult> {
  const now = services.clock.now();
  const db = services.db;
  await expireUnusedMedia(db, now, ROWS_PER_RUN);
  const removed = await removeMedia(db, services, now);
  const abandonedUploads = await deleteAbandonedUploads(db, now);
  await deleteCompletedUploads(db, now, ROWS_PER_RUN);
  // Do this only once an hour, because listing objects in R2 is billed.
  const abandonedObjects = Math.floor(now / MINUTE) % 60 === 0 ? await deleteAbandonedObjects(services, now) : 0;
  return { ...removed, abandonedUploads, abandonedObjects };
}
