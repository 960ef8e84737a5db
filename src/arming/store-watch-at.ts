import type { PostStatus } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import type { ArmablePost } from "./arm-posts.ts";
import { NEXT_DUE_AT_SQL } from "./store-next-due-at.ts";
import { armableFromRow, type ArmableRow } from "./to-armable-post.ts";

/** Sets when the reconciler next checks these posts. A post whose version has changed meanwhile is skipped. */
export async function setWatchAtOfUnarmed(
  db: Db,
  posts: readonly { readonly id: string; readonly version: number }[],
  watchAt: number,
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE posts SET watch_at = ?2 FROM json_each(?1) AS unarmed
       WHERE posts.id = unarmed.value ->> 0 AND posts.version = unarmed.value ->> 1 AND posts.status = 'scheduled' AND posts.watch_at > ?2`,
    )
    .bind(JSON.stringify(posts.map(({ id, version }) => [id, version])), watchAt)
    .run();
}

/**
 * Selects the posts that the reconciler must check now. If none is due it reads no row, because only posts with a
 * `watch_at` are in the index. Returns nothing while the database is held, or if a restore put it back to before the
 * heartbeat `beat`.
 */
export async function selectWatched(
  db: Db,
  {
    now,
    limit,
    beat,
    postId,
  }: { readonly now: number; readonly limit: number; readonly beat: number; readonly postId?: string | undefined },
): Promise<ArmablePost[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT id, workspace_id, version, status, ${NEXT_DUE_AT_SQL} AS scheduled_at, platforms, media FROM posts
       WHERE watch_at <= ?1${postId === undefined ? "" : " AND id = ?4"}
         AND EXISTS (SELECT 1 FROM service WHERE held IS NULL AND beat >= ?3) ORDER BY watch_at LIMIT ?2`,
    )
    .bind(now, limit, beat, ...(postId === undefined ? [] : [postId]))
    .all<ArmableRow>();
  return results.map(armableFromRow);
}

/** Sets when the reconciler next checks a post, unless its version or status has changed since it was armed. */
export async function setWatchAt(
  db: Db,
  updates: readonly {
    readonly id: string;
    readonly version: number;
    readonly status: PostStatus;
    readonly watchAt: number;
  }[],
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE posts SET watch_at = j.value ->> 'watchAt' FROM (SELECT value FROM json_each(?)) AS j
       WHERE id = j.value ->> 'id' AND version = j.value ->> 'version' AND status = j.value ->> 'status'`,
    )
    .bind(JSON.stringify(updates))
    .run();
}
