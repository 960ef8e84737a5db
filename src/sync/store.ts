import type { Db } from "#db/client.ts";

/** Deletes old idempotency records, at most `limit`, so that one run stays short. Returns how many. */
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

/** Deletes the counters of past hours. The hour is first in their key, so this is one range. */
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

/** The size of the database, and whether the operator knows that it is nearly full. */
export async function readDatabaseSize(db: Db): Promise<{ readonly sizeBytes: number; readonly isTold: boolean }> {
  const { results, meta } = await db.d1
    .prepare("SELECT full_told_at AS toldAt FROM service")
    .all<{ toldAt: number | null }>();
  return { sizeBytes: meta.size_after, isTold: results[0] !== undefined && results[0].toldAt !== null };
}

/**
 * Records whether the database is nearly full. True for the call that changed it, so that only one of several parallel
 * runs notifies the operator.
 */
export async function markFull(db: Db, at: number | null): Promise<boolean> {
  const { meta } = await db.d1
    .prepare("UPDATE service SET full_told_at = ?1 WHERE (full_told_at IS NULL) <> (?1 IS NULL)")
    .bind(at)
    .run();
  return meta.changes === 1;
}
