import type { Db } from "#db/client.ts";
import { namedByDraft } from "#media/store-draft-uses.ts";
import { EXPIRING_MS, REMOVAL_LEASE_MS, UNUSED_RETENTION_MS } from "#media/limits.ts";

/**
 * SQL for the time when an item's posts stop needing it; null without posts. A finished post needs its media for a
 * while longer.
 */
const USED_UNTIL = `(SELECT max(CASE
    WHEN p.status IN ('published', 'partially_failed', 'failed', 'cancelled') THEN coalesce(p.finished_at, p.updated_at)
    ELSE max(p.scheduled_at, ?1) END) + ${UNUSED_RETENTION_MS}
  FROM post_media pm CROSS JOIN posts p ON p.id = pm.post_id WHERE pm.media_id = m.id)`;

/** SQL for the time when the last pending approval that needs an item expires; null without one. */
const WAITED_FOR_UNTIL = `(SELECT max(a.expires_at) FROM approvals a CROSS JOIN json_each(a.plan, '$.dependencies.mediaIds') used
  WHERE a.user_id = m.user_id AND a.state = 'pending' AND a.expires_at > ?1 AND used.value = m.id)`;

/**
 * SQL for the time until which an item is needed. It outlives an approval by a little, because approving at the last
 * moment creates a post. An item that a draft names is checked again later; without the draft it counts as unused.
 */
const NEEDED_UNTIL = `nullif(max(coalesce(${USED_UNTIL}, 0), coalesce(${WAITED_FOR_UNTIL} + ${EXPIRING_MS}, 0),
  iif(${namedByDraft("m.id", "m.workspace_id")}, ?1 + ${UNUSED_RETENTION_MS}, 0)), 0)`;

const UNUSED = `coalesce(${NEEDED_UNTIL}, 0) <= ?1`;

/**
 * Moves every due item one step. A used item is checked again later. An unused item first becomes `expiring`: previews
 * no longer find it, for longer than a confirmation token is valid. Then it becomes `removing`: each preview that used
 * it has expired or was confirmed, and a confirmed one counts as use.
 */
export async function expireUnusedMedia(db: Db, now: number, limit: number): Promise<void> {
  const due = (states: string) =>
    `SELECT d.id FROM media d WHERE d.sweep_at <= ?1 AND d.state IN (${states}) ORDER BY d.sweep_at LIMIT ${limit}`;
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE media AS m SET sweep_at = ${NEEDED_UNTIL}, state = CASE state WHEN 'expiring' THEN 'ready' ELSE state END
         WHERE m.id IN (${due("'ready', 'expiring'")}) AND NOT (${UNUSED})`,
      )
      .bind(now),
    db.d1
      .prepare(`UPDATE media AS m SET state = 'removing' WHERE m.id IN (${due("'expiring', 'storing'")}) AND ${UNUSED}`)
      .bind(now),
    db.d1
      .prepare(
        `UPDATE media AS m SET state = 'expiring', sweep_at = ?2 WHERE m.id IN (${due("'ready'")}) AND ${UNUSED}`,
      )
      .bind(now, now + EXPIRING_MS),
  ]);
}

export interface Removal {
  readonly id: string;
  readonly sha256: string;
  /** 1 if no other item has the same bytes, so that their R2 object is deleted too. */
  readonly last: 0 | 1;
}

/** Claims items for deletion, including those of a crashed run. No other run claims them before the lease ends. */
export async function claimRemovals(db: Db, now: number, limit: number): Promise<readonly Removal[]> {
  const { results } = await db.d1
    .prepare(
      `UPDATE media SET sweep_at = ?2
       WHERE id IN (SELECT id FROM media WHERE state = 'removing' AND sweep_at <= ?1 ORDER BY sweep_at LIMIT ?3)
       RETURNING id AS id, sha256 AS sha256,
         NOT EXISTS (SELECT 1 FROM media o WHERE o.sha256 = media.sha256 AND o.state <> 'removing') AS last`,
    )
    .bind(now, now + REMOVAL_LEASE_MS, limit)
    .all<Removal>();
  return results;
}

const IN_WORKSPACES = "workspace_id IN (SELECT value FROM json_each(?1))";

/**
 * Claims all media of these workspaces for deletion, used or not. Another run may have claimed some too, because
 * deleting twice does no harm.
 */
export async function claimMediaOfWorkspaces(
  db: Db,
  workspaceIds: readonly string[],
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly Removal[]> {
  const { results } = await db.d1
    .prepare(
      `UPDATE media SET state = 'removing', sweep_at = ?2
       WHERE id IN (SELECT id FROM media WHERE ${IN_WORKSPACES} AND sha256 IS NOT NULL LIMIT ?3)
       RETURNING id AS id, sha256 AS sha256,
         NOT EXISTS (SELECT 1 FROM media o WHERE o.sha256 = media.sha256 AND o.state <> 'removing' AND o.id <> media.id
           AND o.workspace_id NOT IN (SELECT value FROM json_each(?1))) AS last`,
    )
    .bind(JSON.stringify(workspaceIds), now + REMOVAL_LEASE_MS, limit)
    .all<Removal>();
  return results;
}

export async function stagedObjectsOfUser(db: Db, userId: string): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT p.value AS key FROM uploads u, json_each(u.parts) p WHERE u.user_id = ?")
    .bind(userId)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** Deletes a user's uploads, and the media items of incomplete uploads. */
export async function deleteUploadsOfUser(db: Db, userId: string): Promise<void> {
  await db.d1.batch([
    db.d1
      .prepare(
        "DELETE FROM media WHERE sha256 IS NULL AND id IN (SELECT u.media_id FROM uploads u WHERE u.user_id = ?)",
      )
      .bind(userId),
    db.d1.prepare("DELETE FROM uploads WHERE user_id = ?").bind(userId),
  ]);
}

/** Deletes the rows of items and of their aliases, and releases the storage. The R2 objects must already be deleted. */
export async function deleteRemoved(db: Db, ids: readonly string[]): Promise<void> {
  const list = JSON.stringify(ids);
  const removed = "m.id IN (SELECT value FROM json_each(?1)) AND m.state = 'removing'";
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE storage_use SET bytes = bytes -
           (SELECT coalesce(sum(m.size_bytes), 0) FROM media m WHERE m.workspace_id = storage_use.workspace_id AND ${removed})
         WHERE workspace_id IN (SELECT m.workspace_id FROM media m WHERE ${removed})`,
      )
      .bind(list),
    db.d1.prepare(`DELETE FROM uploads WHERE media_id IN (SELECT m.id FROM media m WHERE ${removed})`).bind(list),
    db.d1.prepare(`DELETE FROM post_media WHERE media_id IN (SELECT m.id FROM media m WHERE ${removed})`).bind(list),
    db.d1.prepare(`DELETE FROM media AS m WHERE ${removed}`).bind(list),
  ]);
}

export async function findAbandonedUploads(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT id FROM uploads WHERE expires_at <= ? AND state = 'open' ORDER BY expires_at LIMIT ?")
    .bind(now, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Deletes completed uploads whose URLs have expired. If an upload's id stands for another item, it stays as long as
 * that item.
 */
export async function deleteCompletedUploads(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM uploads WHERE id IN (SELECT id FROM uploads
         WHERE expires_at <= ? AND state = 'complete' AND media_id = id ORDER BY expires_at LIMIT ?)`,
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
