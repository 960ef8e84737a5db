import type { Actor } from "#core/actor.ts";
import type { FileType } from "#core/status.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { MediaState } from "#db/schema.ts";
import { isConverted } from "#media/content-types.ts";
import { UNUSED_RETENTION_MS } from "#media/limits.ts";
import { readyStatement, USED_BYTES } from "#media/storage/store-save-media.ts";
import { MEDIA_COLUMNS, type MediaRow } from "#media/store.ts";
import type { ContentType, Inspection, ReceivedType } from "#media/types.ts";

export interface NewUpload {
  readonly id: string;
  readonly type: FileType;
  readonly contentType: ReceivedType;
  readonly storedType: ContentType;
  readonly filename: string;
  readonly sizeBytes: number;
  /** How many bytes count against the storage quota until the file has arrived. */
  readonly reservedBytes: number;
  readonly partSizeBytes: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Reserves storage and creates the upload: both or neither. */
export async function insertUpload(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  upload: NewUpload,
  limitBytes: number,
): Promise<{ inserted: boolean; usedBytes: number }> {
  const inserted = "EXISTS (SELECT 1 FROM media WHERE id = ?1)";
  const { state } = await batch(db, {
    media: db.d1
      .prepare(
        `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, facts, created_at, sweep_at)
         SELECT ?1, ?3, ?2, 'uploading', ?4, ?5, ?6, ?7, '{}', ?8, ?9 WHERE ${USED_BYTES} + ?7 <= ?10`,
      )
      .bind(
        upload.id,
        actor.workspaceId,
        actor.userId,
        upload.type,
        upload.storedType,
        upload.filename,
        upload.reservedBytes,
        upload.createdAt,
        upload.expiresAt,
        limitBytes,
      ),
    upload: db.d1
      .prepare(
        `INSERT INTO uploads (id, media_id, user_id, workspace_id, content_type, size_bytes, part_size_bytes, parts, state,
           created_at, expires_at)
         SELECT ?1, ?1, ?3, ?2, ?4, ?5, ?6, '{}', 'open', ?7, ?8 WHERE ${inserted}`,
      )
      .bind(
        upload.id,
        actor.workspaceId,
        actor.userId,
        upload.contentType,
        upload.sizeBytes,
        upload.partSizeBytes,
        upload.createdAt,
        upload.expiresAt,
      ),
    storage: db.d1
      .prepare(
        `INSERT INTO storage_use (workspace_id, bytes) SELECT ?2, ?3 WHERE ${inserted}
         ON CONFLICT (workspace_id) DO UPDATE SET bytes = bytes + excluded.bytes`,
      )
      .bind(upload.id, actor.workspaceId, upload.reservedBytes),
    state: withRows<{ inserted: number; usedBytes: number }>(
      db.d1.prepare(`SELECT ${inserted} AS inserted, ${USED_BYTES} AS usedBytes`).bind(upload.id, actor.workspaceId),
    ),
  });
  const [row] = state.results;
  return { inserted: row?.inserted === 1, usedBytes: row?.usedBytes ?? 0 };
}

export interface UploadRow {
  readonly id: string;
  readonly mediaId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly contentType: ReceivedType;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly partSizeBytes: number;
  /** The R2 key of each part's object, by part number. */
  readonly parts: Readonly<Record<string, string>>;
  readonly state: "open" | "complete";
  readonly expiresAt: number;
}

/** Finds an upload by id. It checks no owner, because the signed URL proves access. */
export async function findUpload(db: Db, id: string): Promise<UploadRow | null> {
  const row = await db.d1
    .prepare(
      `SELECT u.id AS id, u.media_id AS mediaId, u.user_id AS userId, u.workspace_id AS workspaceId, u.content_type AS contentType, m.filename AS filename,
         u.size_bytes AS sizeBytes, u.part_size_bytes AS partSizeBytes, u.parts AS parts, u.state AS state, u.expires_at AS expiresAt
       FROM uploads u CROSS JOIN media m ON m.id = u.media_id WHERE u.id = ?`,
    )
    .bind(id)
    .first<Omit<UploadRow, "parts"> & { parts: string }>();
  return row && { ...row, parts: JSON.parse(row.parts) as Record<string, string> };
}

/**
 * Records the object of a part and returns all recorded parts. Null if the part already has an object, or if the upload
 * is closed.
 */
export async function recordPart(
  db: Db,
  part: { readonly uploadId: string; readonly partNumber: number; readonly key: string },
): Promise<Readonly<Record<string, string>> | null> {
  const path = `$."${part.partNumber}"`;
  const row = await db.d1
    .prepare(
      `UPDATE uploads SET parts = json_set(parts, ?2, ?3) WHERE id = ?1 AND state = 'open' AND parts ->> ?2 IS NULL
       RETURNING parts AS parts`,
    )
    .bind(part.uploadId, path, part.key)
    .first<{ parts: string }>();
  return row && (JSON.parse(row.parts) as Record<string, string>);
}

export interface UploadedMediaRow extends MediaRow {
  readonly uploadState: "open" | "complete";
  /** 1 if another usable item has the same bytes, so that their R2 object already exists. */
  readonly stored: 0 | 1;
}

/**
 * Assigns uploaded bytes to a media item. If the workspace already has the same bytes, the upload's URL leads to that
 * item, and the reserved storage is released. Otherwise the upload's own item gets the hash. Null if the upload was
 * deleted.
 */
export async function assignUploadedContent(
  db: Db,
  upload: Pick<UploadRow, "id" | "workspaceId" | "contentType">,
  file: {
    readonly sha256: string;
    readonly inspection: Inspection;
    readonly filename: string;
    /** The size of the stored bytes. For a HEIC or AVIF image, the size of the JPEG. */
    readonly sizeBytes: number;
  },
  now: number,
): Promise<UploadedMediaRow | null> {
  const { inspection, sizeBytes } = file;
  const sameBytes = "m.workspace_id = ?2 AND m.sha256 = ?3 AND m.id <> ?1 AND m.state <> 'removing'";
  const aliased = "(SELECT u.media_id FROM uploads u WHERE u.id = ?1) <> ?1";
  const isAssigned = `id = ?1 AND state = 'uploading' AND EXISTS (SELECT 1 FROM uploads WHERE id = ?1 AND state = 'open')
           AND NOT EXISTS (SELECT 1 FROM media r WHERE r.sha256 = ?2 AND r.state = 'removing')`;
  const release = db.d1
    .prepare(
      `UPDATE storage_use SET bytes = bytes + ?3 - (SELECT size_bytes FROM media WHERE id = ?1)
       WHERE workspace_id = ?4 AND EXISTS (SELECT 1 FROM media WHERE ${isAssigned})`,
    )
    .bind(upload.id, file.sha256, sizeBytes, upload.workspaceId);
  const { media } = await batch(db, {
    alias: db.d1
      .prepare(
        `UPDATE uploads SET media_id = (SELECT m.id FROM media m WHERE ${sameBytes})
         WHERE id = ?1 AND state = 'open' AND media_id = ?1 AND EXISTS (SELECT 1 FROM media m WHERE ${sameBytes})
           AND EXISTS (SELECT 1 FROM media own WHERE own.id = ?1 AND own.state = 'uploading')`,
      )
      .bind(upload.id, upload.workspaceId, file.sha256),
    kept: db.d1
      .prepare(
        `UPDATE media AS m SET sweep_at = max(sweep_at, ?4), state = CASE state WHEN 'expiring' THEN 'ready' ELSE state END
         WHERE ${sameBytes} AND ${aliased}`,
      )
      .bind(upload.id, upload.workspaceId, file.sha256, now + UNUSED_RETENTION_MS),
    released: db.d1
      .prepare(
        `UPDATE storage_use SET bytes = bytes - (SELECT size_bytes FROM media WHERE id = ?1)
         WHERE workspace_id = ?2 AND ${aliased} AND EXISTS (SELECT 1 FROM media WHERE id = ?1 AND state = 'uploading')`,
      )
      .bind(upload.id, upload.workspaceId),
    deleted: db.d1.prepare(`DELETE FROM media WHERE id = ?1 AND state = 'uploading' AND ${aliased}`).bind(upload.id),
    converted: isConverted(upload.contentType) ? release : undefined,
    stored: db.d1
      .prepare(
        `UPDATE media SET state = 'storing', sha256 = ?2, type = ?3, content_type = ?4, filename = ?5, width = ?6, height = ?7,
           duration_ms = ?8, facts = ?9, size_bytes = ?10
         WHERE ${isAssigned}`,
      )
      .bind(
        upload.id,
        file.sha256,
        inspection.type,
        inspection.contentType,
        file.filename,
        inspection.width,
        inspection.height,
        inspection.durationMs,
        JSON.stringify(inspection.facts),
        sizeBytes,
      ),
    media: withRows<UploadedMediaRow>(
      db.d1
        .prepare(
          `SELECT u.state AS uploadState, ${MEDIA_COLUMNS},
           EXISTS (SELECT 1 FROM media o WHERE o.sha256 = m.sha256 AND o.state IN ('ready', 'expiring')) AS stored
         FROM uploads u CROSS JOIN media m ON m.id = u.media_id WHERE u.id = ?1`,
        )
        .bind(upload.id),
    ),
  });
  return media.results[0] ?? null;
}

/** Closes the upload. True only for the first of several calls. */
export async function closeUpload(
  db: Db,
  upload: Pick<UploadRow, "id">,
  media: { readonly id: string; readonly state: MediaState },
  now: number,
): Promise<boolean> {
  const { closed } = await batch(db, {
    closed: db.d1
      .prepare("UPDATE uploads SET state = 'complete', parts = '{}' WHERE id = ? AND state = 'open'")
      .bind(upload.id),
    ready: readyStatement(db, [media.id], now),
  });
  return closed.meta.changes === 1;
}

/** Deletes open uploads with their media items, and releases the reserved storage. */
export async function deleteOpenUploads(db: Db, ids: readonly string[]): Promise<void> {
  const list = JSON.stringify(ids);
  const open = `SELECT m.id FROM media m CROSS JOIN uploads u ON u.id = m.id
    WHERE m.id IN (SELECT value FROM json_each(?1)) AND m.state = 'uploading' AND u.state = 'open'`;
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE storage_use SET bytes = bytes -
           (SELECT coalesce(sum(w.size_bytes), 0) FROM media w WHERE w.workspace_id = storage_use.workspace_id AND w.id IN (${open}))
         WHERE workspace_id IN (SELECT w.workspace_id FROM media w WHERE w.id IN (${open}))`,
      )
      .bind(list),
    db.d1.prepare(`DELETE FROM media WHERE id IN (${open})`).bind(list),
    db.d1.prepare("DELETE FROM uploads WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'open'").bind(list),
  ]);
}

export async function isOwnUpload(
  db: Db,
  { userId, workspaceId }: Pick<Actor, "userId" | "workspaceId">,
  id: string,
): Promise<boolean> {
  const row = await db.d1
    .prepare("SELECT 1 FROM uploads WHERE id = ? AND user_id = ? AND workspace_id = ?")
    .bind(id, userId, workspaceId)
    .first();
  return row !== null;
}
