import { DAY, HOUR } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { deleteIdleDrafts } from "#drafts/index.ts";
import { deleteOldEvents } from "#events/index.ts";
import { deleteOldNotices } from "#notices/index.ts";
import { deleteExpiredStates } from "#accounts/index.ts";
import { deleteExpiredCredentials } from "#auth/index.ts";
import { sweepMedia } from "#media/index.ts";
import { deleteExpiredPosts } from "#post-status/cleanup/delete-cancelled-posts.ts";
import { readService } from "#restore/store-service.ts";
import { deleteOldHourlyUse, deleteOldIdempotencyRecords } from "./store.ts";

const ROWS_PER_RUN = 500;
/**
 * How many counters of past hours one run deletes. The rows are small, and an hour may leave one for each host that a
 * user fetched from.
 */
const HOURLY_USE_ROWS_PER_RUN = 5000;
const IDEMPOTENCY_RETENTION_MS = DAY;

/** Deletes expired rows and files, a limited number per run. */
export async function deleteExpiredData(services: Pick<Services, "db" | "bucket" | "clock">): Promise<void> {
  // Skip a held database: media that look unused may be in use again after lost data are merged.
  if ((await readService(services.db)).held !== null) {
    return;
  }
  const now = services.clock.now();
  const states = await deleteExpiredStates(services.db, now, ROWS_PER_RUN);
  await deleteExpiredCredentials(services);
  const { posts, confirmations, approvals, expiredApprovals } = await deleteExpiredPosts(services);
  // Delete drafts first, because a draft keeps its media.
  const drafts = await deleteIdleDrafts(services);
  const { abandonedUploads, abandonedObjects, ...media } = await sweepMedia(services);
  const idempotencyRecords = await deleteOldIdempotencyRecords(
    services.db,
    now - IDEMPOTENCY_RETENTION_MS,
    ROWS_PER_RUN,
  );
  // Keep the last hour until its previews are counted for the operator.
  const hourlyUse = await deleteOldHourlyUse(services.db, Math.floor(now / HOUR) - 1, HOURLY_USE_ROWS_PER_RUN);
  const events = await deleteOldEvents(services);
  const notices = await deleteOldNotices(services);
  const removed = {
    events,
    notices,
    hourly_use: hourlyUse,
    connect_states: states,
    idempotency_records: idempotencyRecords,
    posts,
    confirmations,
    approvals,
    expired_approvals: expiredApprovals,
    drafts,
    abandoned_uploads: abandonedUploads,
    abandoned_objects: abandonedObjects,
    ...media,
  };
  if (Object.values(removed).some((count) => count > 0)) {
    log("info", "expired_data_deleted", removed);
  }
}
