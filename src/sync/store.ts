import type { Db } from "#db/client.ts";

/** Remembered answers past their day; bounded, so that one run stays short. Says how many went. */
export async function deleteOldAnswers(db: Db, createdBefore: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM idempotency_records WHERE (user_id, key) IN
         (SELECT user_id, key FROM idempotency_records WHERE created_at < ?1 LIMIT ?2)`,
    )
    .bind(createdBefore, limit)
    .run();
  return meta.changes;
}
