import type { Db } from "#db/client.ts";

/** Deletes a bounded number, so that one run stays short; returns how many were deleted. */
export async function deleteOldIdempotencyRecords(db: Db, createdBefore: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM idempotency_records WHERE (user_id, key) IN
         (SELECT user_id, key FROM idempotency_records WHERE created_at < ?1 LIMIT ?2)`,
    )
    .bind(createdBefore, limit)
    .run();
  return meta.changes;
}

/** Deletes the counters of hours that have passed; the hour leads their key. */
export async function deleteOldHourlyUse(db: Db, hour: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM hourly_use WHERE (hour, user_id, name) IN
         (SELECT hour, user_id, name FROM hourly_use WHERE hour < ?1 LIMIT ?2)`,
    )
    .bind(hour, limit)
    .run();
  return meta.changes;
}
