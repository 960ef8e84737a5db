import type { Db } from "#db/client.ts";
import { EXPIRING_MS, REMOVAL_LEASE_MS, UNUSED_LIFE_MS } from "./limits.ts";

/** Until when the posts of a media item need it, null without posts: an unfinished one for as long as it is not finished, each for a while after. */
const NEEDED_UNTIL = `(SELECT max(CASE
    WHEN p.status IN ('published', 'partially_failed', 'failed', 'cancelled') THEN coalesce(p.finished_at, p.updated_at)
    ELSE max(p.scheduled_at, ?1) END) + ${UNUSED_LIFE_MS}
  FROM post_media pm CROSS JOIN posts p ON p.id = pm.post_id WHERE pm.media_id = m.id)`;

const UNUSED = `coalesce(${NEEDED_UNTIL}, 0) <= ?1`;

/**
 * One step of every item whose time has come. In use: its time moves on. Unused: first invisible to previews for longer than a confirmation token lives, then `removing`; so a preview that saw it
 * has either been confirmed by then, which counts as use, or can no longer be.
 */
export async function ageMedia(db: Db, now: number, limit: number): Promise<void> {
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
  /** 1 when no living item has the same bytes, so that the object goes too. */
  readonly last: 0 | 1;
}

/** Takes removals on, those of a run that died included; nobody else does for the length of the lease. */
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

/** The objects are gone: now the rows, the addresses that led to them, and the bytes counted for them. */
export async function deleteRemoved(db: Db, ids: readonly string[]): Promise<void> {
  const list = JSON.stringify(ids);
  const gone = "m.id IN (SELECT value FROM json_each(?1)) AND m.state = 'removing'";
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE storage_use SET bytes = bytes -
           (SELECT coalesce(sum(m.size_bytes), 0) FROM media m WHERE m.workspace_id = storage_use.workspace_id AND ${gone})
         WHERE workspace_id IN (SELECT m.workspace_id FROM media m WHERE ${gone})`,
      )
      .bind(list),
    db.d1.prepare(`DELETE FROM uploads WHERE media_id IN (SELECT m.id FROM media m WHERE ${gone})`).bind(list),
    db.d1.prepare(`DELETE FROM post_media WHERE media_id IN (SELECT m.id FROM media m WHERE ${gone})`).bind(list),
    db.d1.prepare(`DELETE FROM media AS m WHERE ${gone}`).bind(list),
  ]);
}

/** Open uploads whose time is over. */
export async function findAbandoned(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT id FROM uploads WHERE expires_at <= ? AND state = 'open' ORDER BY expires_at LIMIT ?")
    .bind(now, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Complete uploads whose addresses are over; those whose id leads to another item stay as long as that item. */
export async function deleteSpentUploads(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM uploads WHERE id IN (SELECT id FROM uploads
         WHERE expires_at <= ? AND state = 'complete' AND media_id = id ORDER BY expires_at LIMIT ?)`,
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
