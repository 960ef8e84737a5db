import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/**
 * Deletes posts that were cancelled before `before`, with their targets and media references. Returns how many. A
 * partly published post is never deleted.
 */
export async function deleteCancelledPosts(db: Db, before: number, limit: number): Promise<number> {
  const { results } = await db.d1
    .prepare(
      `SELECT p.id FROM posts p WHERE p.status = 'cancelled' AND p.updated_at < ? AND NOT ${HAS_PUBLICATION} ORDER BY p.updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>();
  if (results.length === 0) {
    return 0;
  }
  const ids = JSON.stringify(results.map((row) => row.id));
  const stillCancelled =
    "IN (SELECT p.id FROM posts p, json_each(?) j WHERE p.id = j.value AND p.status = 'cancelled')";
  const { posts } = await batch(db, {
    targets: db.d1.prepare(`DELETE FROM post_targets WHERE post_id ${stillCancelled}`).bind(ids),
    media: db.d1.prepare(`DELETE FROM post_media WHERE post_id ${stillCancelled}`).bind(ids),
    posts: db.d1.prepare(`DELETE FROM posts WHERE id ${stillCancelled}`).bind(ids),
  });
  return posts.meta.changes;
}

/** Deletes the records of used tokens that were issued before `hour` (hours since 1970). Returns how many. */
export async function deleteConfirmations(db: Db, hour: number, limit: number): Promise<number> {
  const deleted = await db.d1
    .prepare(
      `DELETE FROM confirmations WHERE (issued_hour, token_hash) IN
         (SELECT issued_hour, token_hash FROM confirmations WHERE issued_hour < ? LIMIT ?)`,
    )
    .bind(hour, limit)
    .run();
  return deleted.meta.changes;
}
