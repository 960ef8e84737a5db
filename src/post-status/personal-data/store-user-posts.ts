import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { appendChange, changeByService } from "#posts/rows/change-record.ts";
import { NOT_HELD } from "#restore/store-service.ts";
import type { ArmableRow } from "#arming/to-armable-post.ts";
import { stopRetriesStatements } from "#post-status/status/store-stopped-retries.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/* Changes the posts of a user who is being deleted. Each statement changes a limited number of posts of one
   workspace, found by status with an index. */

/**
 * SQL for posts (`p`) of workspace ?2 that can be stopped; ?1 is the present time. After a restore, a post whose time
 * has passed may be published, so it cannot be stopped.
 */
const STOPPABLE = `p.workspace_id = ?2 AND p.status IN ('scheduled', 'paused') AND (p.scheduled_at > ?1 OR ${NOT_HELD})`;

/**
 * Stops at most `limit` scheduled and paused posts: the retries of those that are partly published, and all others by a
 * cancel. Returns the cancelled posts and the number of stopped ones.
 */
export async function cancelSomePosts(
  db: Db,
  { workspaceId, now, limit }: { readonly workspaceId: string; readonly now: number; readonly limit: number },
): Promise<{ readonly cancelled: readonly ArmableRow[]; readonly count: number }> {
  const some = `p.id IN (SELECT p.id FROM posts p WHERE ${STOPPABLE} ORDER BY p.status, p.scheduled_at, p.id LIMIT ?3)`;
  const { stopped, cancelled } = await batch(db, {
    ...stopRetriesStatements(db, some, [now, workspaceId, limit], {
      change: changeByService({ at: now, what: "retry_stopped" }),
    }),
    cancelled: withRows<ArmableRow>(
      db.d1
        .prepare(
          `UPDATE posts AS p SET status = 'cancelled', paused_reason = NULL, watch_at = NULL, version = version + 1, updated_at = ?1,
           changes = ${appendChange("?4")}
         WHERE ${some} AND NOT ${HAS_PUBLICATION} RETURNING id, version, status, scheduled_at, platforms, media`,
        )
        .bind(now, workspaceId, limit, changeByService({ at: now, what: "cancelled" })),
    ),
  });
  const rows = cancelled.results;
  return { cancelled: rows, count: rows.length + stopped.results.length };
}

/** Counts the posts of the workspaces that are scheduled or paused. */
export async function countWaiting(db: Db, workspaceIds: readonly string[]): Promise<number> {
  const row = await db.d1
    .prepare(
      `SELECT count(*) AS n FROM json_each(?) w CROSS JOIN posts p ON p.workspace_id = w.value WHERE p.status IN ('scheduled', 'paused')`,
    )
    .bind(JSON.stringify(workspaceIds))
    .first<{ n: number }>();
  return row?.n ?? 0;
}

export async function isPublishing(db: Db, workspaceIds: readonly string[]): Promise<boolean> {
  const row = await db.d1
    .prepare(
      "SELECT 1 FROM json_each(?1) w CROSS JOIN posts p ON p.workspace_id = w.value WHERE p.status = 'publishing' LIMIT 1",
    )
    .bind(JSON.stringify(workspaceIds))
    .first();
  return row !== null;
}

/**
 * Deletes the counters of posts. It must run before the posts are deleted, because every deleted post would change
 * them.
 */
export async function deleteCounters(db: Db, workspaceIds: readonly string[]): Promise<void> {
  const list = JSON.stringify(workspaceIds);
  await db.d1.batch(
    ["post_totals", "post_days"].map((table) =>
      db.d1.prepare(`DELETE FROM ${table} WHERE workspace_id IN (SELECT value FROM json_each(?))`).bind(list),
    ),
  );
}

/** Deletes at most `limit` posts of the workspaces with their targets, except publishing ones. Returns how many. */
export async function deleteSomePosts(db: Db, workspaceIds: readonly string[], limit: number): Promise<number> {
  const { results } = await db.d1
    .prepare(
      `SELECT p.id AS id FROM json_each(?1) w CROSS JOIN posts p ON p.workspace_id = w.value WHERE p.status <> 'publishing' LIMIT ?2`,
    )
    .bind(JSON.stringify(workspaceIds), limit)
    .all<{ id: string }>();
  if (results.length === 0) {
    return 0;
  }
  const ids = JSON.stringify(results.map(({ id }) => id));
  const stillEnded =
    "IN (SELECT p.id FROM json_each(?) j CROSS JOIN posts p ON p.id = j.value WHERE p.status <> 'publishing')";
  await db.d1.batch([
    db.d1.prepare(`DELETE FROM post_targets WHERE post_id ${stillEnded}`).bind(ids),
    db.d1.prepare(`DELETE FROM post_media WHERE post_id ${stillEnded}`).bind(ids),
    db.d1.prepare(`DELETE FROM posts WHERE id ${stillEnded}`).bind(ids),
  ]);
  return results.length;
}
