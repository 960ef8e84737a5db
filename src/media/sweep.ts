import type { Services } from "#context.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { STAGING_PREFIX } from "./staged.ts";
import { ageMedia, claimRemovals, deleteRemoved, deleteSpentUploads, findAbandoned } from "./store-sweep.ts";
import { dropUploads } from "./store-uploads.ts";
import { mediaKey } from "./urls.ts";

const ROWS_A_RUN = 100;
/** R2 deletes and lists at most this many at once. */
const OBJECTS_A_CALL = 1000;
const PAGES_A_RUN = 20;
const LEFTOVER_AGE_MS = DAY + HOUR;

export interface SweepResult {
  readonly removedMedia: number;
  readonly removedObjects: number;
  readonly abandonedUploads: number;
  readonly leftovers: number;
}

async function removeMedia({ db, bucket }: Pick<Services, "db" | "bucket">, now: number) {
  const removals = await claimRemovals(db, now, ROWS_A_RUN);
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

async function dropAbandoned({ db }: Pick<Services, "db">, now: number): Promise<number> {
  const ids = await findAbandoned(db, now, ROWS_A_RUN);
  await (ids.length > 0 ? dropUploads(db, ids) : null);
  return ids.length;
}

/** What broken transfers and abandoned uploads left in staging; a transfer never takes a day. */
async function deleteLeftovers({ bucket }: Pick<Services, "bucket">, now: number): Promise<number> {
  let deleted = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_A_RUN; page += 1) {
    const listed = await bucket.list({
      prefix: STAGING_PREFIX,
      limit: OBJECTS_A_CALL,
      ...(cursor !== undefined && { cursor }),
    });
    const old = listed.objects
      .filter(({ uploaded }) => uploaded.getTime() <= now - LEFTOVER_AGE_MS)
      .map(({ key }) => key);
    await (old.length > 0 ? bucket.delete(old) : null);
    deleted += old.length;
    if (!listed.truncated) {
      break;
    }
    cursor = listed.cursor;
  }
  return deleted;
}

/**
 * One run of the cleaning, from cron every minute: media unused for 30 days, uploads never finished, staging left behind.
 * Everything is bounded; what is left over is due in the next run.
 */
export async function sweepMedia(services: Pick<Services, "db" | "bucket" | "clock">): Promise<SweepResult> {
  const now = services.clock.now();
  await ageMedia(services.db, now, ROWS_A_RUN);
  const removed = await removeMedia(services, now);
  const abandonedUploads = await dropAbandoned(services, now);
  await deleteSpentUploads(services.db, now, ROWS_A_RUN);
  // Listing costs money and nothing is in a hurry: once an hour.
  const leftovers = Math.floor(now / MINUTE) % 60 === 0 ? await deleteLeftovers(services, now) : 0;
  return { ...removed, abandonedUploads, leftovers };
}
