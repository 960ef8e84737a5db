import type { Actor } from "#core/actor.ts";
import type { JsonObject } from "#core/json.ts";
import type { FileType } from "#core/status.ts";
import type { Config } from "#config.ts";
import type { Db } from "#db/client.ts";
import type { MediaState } from "#db/schema.ts";
import { isMedia, type ResolvedFile, type ResolvedMedia } from "./types.ts";
import { mediaUrl } from "./urls.ts";

export interface MediaRow {
  readonly id: string;
  readonly state: MediaState;
  readonly type: FileType;
  readonly contentType: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly sha256: string | null;
  readonly facts: string;
}

/** SQL for the columns of a `MediaRow`, from the table alias `m`. */
export const MEDIA_COLUMNS = `m.id AS id, m.state AS state, m.type AS type, m.content_type AS contentType, m.filename AS filename,
  m.size_bytes AS sizeBytes, m.width AS width, m.height AS height, m.duration_ms AS durationMs, m.sha256 AS sha256, m.facts AS facts`;

export function toResolved(row: ReadyMediaRow, config: Pick<Config, "origin">): ResolvedFile {
  return {
    id: row.id,
    type: row.type,
    url: mediaUrl(config, row),
    contentType: row.contentType,
    sizeBytes: row.sizeBytes,
    width: row.width,
    height: row.height,
    durationSeconds: row.durationMs === null ? null : row.durationMs / 1000,
    sha256: row.sha256,
    filename: row.filename,
    facts: JSON.parse(row.facts) as JsonObject,
  };
}

export interface ReadyMediaRow extends MediaRow {
  readonly sha256: string;
}

export function isReady<Row extends MediaRow>(row: Row): row is Row & ReadyMediaRow {
  return row.state === "ready" && row.sha256 !== null;
}

/**
 * SQL that also finds an item by the id of an upload. The upload's bytes may already have been those of another item.
 */
const JOIN_ALIASED_MEDIA =
  "LEFT JOIN uploads u ON u.id = j.value CROSS JOIN media m ON m.id = coalesce(u.media_id, j.value)";

/** A statement for batches that selects the actor's media among `ids`. `parseMediaRows` parses its rows. */
export function mediaStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  ids: readonly string[],
): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT j.value AS requestedId, ${MEDIA_COLUMNS} FROM json_each(?1) j ${JOIN_ALIASED_MEDIA}
       WHERE m.workspace_id = ?2 AND m.user_id = ?3`,
    )
    .bind(JSON.stringify(ids), actor.workspaceId, actor.userId);
}

/** A statement for batches that selects the actor's newest usable media. `parseReadyMediaRows` parses its rows. */
export function newestMediaStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  limit: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT ${MEDIA_COLUMNS} FROM media m WHERE m.workspace_id = ?1 AND m.user_id = ?2 AND m.state = 'ready' AND m.type <> 'document'
       ORDER BY m.created_at DESC, m.id DESC LIMIT ?3`,
    )
    .bind(actor.workspaceId, actor.userId, limit);
}

export function parseReadyMediaRows(
  rows: readonly unknown[],
  config: Pick<Config, "origin">,
): readonly ResolvedMedia[] {
  return (rows as readonly MediaRow[])
    .filter(isReady)
    .map((row) => toResolved(row, config))
    .filter(isMedia);
}

/**
 * Parses the rows of `mediaStatement` by the requested ids. Null means that the bytes are incomplete; a missing key
 * means that the item does not exist.
 */
export function parseMediaRows(
  rows: readonly unknown[],
  config: Pick<Config, "origin">,
): Map<string, ResolvedFile | null> {
  const media = new Map<string, ResolvedFile | null>();
  for (const row of rows as readonly (MediaRow & { requestedId: string })[]) {
    if (isReady(row)) {
      media.set(row.requestedId, toResolved(row, config));
    } else if (row.state === "uploading" || row.state === "storing") {
      media.set(row.requestedId, null);
    }
  }
  return media;
}

/**
 * Finds the item of a public media URL. Null if there is nothing to serve. It checks no owner, because the id is the
 * secret.
 */
export async function findServableMedia(db: Db, id: string): Promise<ReadyMediaRow | null> {
  return db.d1
    .prepare(
      `SELECT ${MEDIA_COLUMNS} FROM media m
       WHERE m.id = coalesce((SELECT media_id FROM uploads WHERE id = ?1), ?1) AND m.state IN ('ready', 'expiring')`,
    )
    .bind(id)
    .first<ReadyMediaRow>();
}
