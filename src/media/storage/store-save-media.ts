import type { Actor } from "#core/actor.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { DAY } from "#core/clock.ts";
import { UNUSED_RETENTION_MS } from "#media/limits.ts";
import { MEDIA_COLUMNS, type MediaRow } from "#media/store.ts";
import type { Inspection } from "#media/types.ts";

/** A media item to save. `id` is used only if the workspace does not have these bytes yet. */
export interface NewMedia extends Inspection {
  readonly id: string;
  readonly sha256: string;
  readonly filename: string;
  readonly sizeBytes: number;
}

export interface SavedMediaRow extends MediaRow {
  readonly sha256: string;
  /** 1 if another usable item has the same bytes, so that their R2 object already exists. */
  readonly stored: 0 | 1;
}

/** The storage that the user's workspaces use, and whether an object with one of the hashes is being deleted now. */
export interface StorageState {
  readonly usedBytes: number;
  readonly removing: 0 | 1;
}

/** SQL: whether an object with one of the hashes in ?1 is being deleted. */
const REMOVING = `EXISTS (SELECT 1 FROM json_each(?1) n CROSS JOIN media r ON r.sha256 = n.value ->> 'sha256' WHERE r.state = 'removing')`;

/** SQL for the total size of those files in ?1 that workspace ?2 does not have yet. */
const NEW_BYTES = `(SELECT coalesce(sum(n.value ->> 'sizeBytes'), 0) FROM json_each(?1) n WHERE NOT EXISTS
  (SELECT 1 FROM media o WHERE o.workspace_id = ?2 AND o.sha256 = n.value ->> 'sha256'))`;

export const USED_BYTES = `coalesce((SELECT sum(s.bytes) FROM storage_use s WHERE s.workspace_id IN (
  SELECT ?2 UNION SELECT o.id FROM workspaces w JOIN workspaces o ON o.user_id = w.user_id WHERE w.id = ?2)), 0)`;

/**
 * Inserts the rows of all items or none: none if the user would exceed the plan's storage, or while one of the objects
 * is being deleted. Rows are written before objects, so that the clean-up finds every object by a row.
 */
export async function insertMediaRows(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  items: readonly NewMedia[],
  limitBytes: number,
  now: number,
): Promise<{ rows: readonly SavedMediaRow[]; state: StorageState }> {
  const list = JSON.stringify(items);
  const { saved, state } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, width, height, duration_ms,
           sha256, facts, created_at, sweep_at)
         SELECT j.value ->> 'id', ?3, ?2, 'storing', j.value ->> 'type', j.value ->> 'contentType', j.value ->> 'filename',
           j.value ->> 'sizeBytes', j.value ->> 'width', j.value ->> 'height', j.value ->> 'durationMs',
           j.value ->> 'sha256', j.value -> 'facts', ?5, ?6
         FROM json_each(?1) j
         WHERE NOT ${REMOVING} AND (${NEW_BYTES} = 0 OR ${USED_BYTES} + ${NEW_BYTES} <= ?4)
         ON CONFLICT (workspace_id, sha256) WHERE sha256 IS NOT NULL DO UPDATE SET
           sweep_at = max(sweep_at, ?7), state = CASE state WHEN 'expiring' THEN 'ready' ELSE state END`,
      )
      .bind(list, actor.workspaceId, actor.userId, limitBytes, now, now + DAY, now + UNUSED_RETENTION_MS),
    storageUse: db.d1
      .prepare(
        `INSERT INTO storage_use (workspace_id, bytes)
         SELECT ?2, sum(m.size_bytes) FROM media m WHERE m.id IN (SELECT value ->> 'id' FROM json_each(?1)) HAVING count(*) > 0
         ON CONFLICT (workspace_id) DO UPDATE SET bytes = bytes + excluded.bytes`,
      )
      .bind(list, actor.workspaceId),
    saved: withRows<SavedMediaRow>(
      db.d1
        .prepare(
          `SELECT ${MEDIA_COLUMNS},
           EXISTS (SELECT 1 FROM media o WHERE o.sha256 = m.sha256 AND o.state IN ('ready', 'expiring')) AS stored
         FROM json_each(?1) j CROSS JOIN media m ON m.workspace_id = ?2 AND m.sha256 = j.value ->> 'sha256'
         WHERE m.state IN ('storing', 'ready')`,
        )
        .bind(list, actor.workspaceId),
    ),
    state: withRows<StorageState>(
      db.d1.prepare(`SELECT ${USED_BYTES} AS usedBytes, ${REMOVING} AS removing`).bind(list, actor.workspaceId),
    ),
  });
  return { rows: saved.results, state: state.results[0] ?? { usedBytes: 0, removing: 0 } };
}

/** Makes saved items usable, after their objects are written. */
export async function markReady(db: Db, ids: readonly string[], now: number): Promise<void> {
  await readyStatement(db, ids, now).run();
}

export function readyStatement(db: Db, ids: readonly string[], now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      "UPDATE media SET state = 'ready', sweep_at = ?2 WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'storing'",
    )
    .bind(JSON.stringify(ids), now + UNUSED_RETENTION_MS);
}
