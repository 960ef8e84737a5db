import type { Actor } from "#core/actor.ts";
import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import type { Config } from "#config.ts";
import type { Db } from "#db/client.ts";
import type { MediaState } from "#db/schema.ts";
import type { ResolvedMedia } from "./types.ts";
import { mediaUrl } from "./urls.ts";

/** A row of `media` with the names of the house. */
export interface MediaRow {
  readonly id: string;
  readonly state: MediaState;
  readonly type: MediaType;
  readonly contentType: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly sha256: string | null;
  /** JSON. */
  readonly facts: string;
}

/** Every column of `MediaRow`, of the table named `m`. */
export const MEDIA_COLUMNS = `m.id AS id, m.state AS state, m.type AS type, m.content_type AS contentType, m.filename AS filename,
  m.size_bytes AS sizeBytes, m.width AS width, m.height AS height, m.duration_ms AS durationMs, m.sha256 AS sha256, m.facts AS facts`;

/** A ready row as callers see it. */
export function toResolved(row: ServedMedia, config: Pick<Config, "origin">): ResolvedMedia {
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

/** A row whose bytes are there. */
export interface ServedMedia extends MediaRow {
  readonly sha256: string;
}

function isReady(row: MediaRow): row is ServedMedia {
  return row.state === "ready" && row.sha256 !== null;
}

/** An address handed out for an upload leads to the item that already had the same bytes. */
const ALIASED = "LEFT JOIN uploads u ON u.id = j.value CROSS JOIN media m ON m.id = coalesce(u.media_id, j.value)";

/** The actor's media among `ids`, for a batch; `readMedia` reads its rows. */
export function mediaStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  ids: readonly string[],
): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT j.value AS askedId, ${MEDIA_COLUMNS} FROM json_each(?1) j ${ALIASED}
       WHERE m.workspace_id = ?2 AND m.user_id = ?3`,
    )
    .bind(JSON.stringify(ids), actor.workspaceId, actor.userId);
}

/**
 * What `mediaStatement` found, by the id that was asked for: null means that the bytes are not complete yet, a missing key
 * that there is no such item.
 */
export function readMedia(rows: readonly unknown[], config: Pick<Config, "origin">): Map<string, ResolvedMedia | null> {
  const found = new Map<string, ResolvedMedia | null>();
  for (const row of rows as readonly (MediaRow & { askedId: string })[]) {
    if (isReady(row)) {
      found.set(row.askedId, toResolved(row, config));
    } else if (row.state === "uploading" || row.state === "storing") {
      found.set(row.askedId, null);
    }
  }
  return found;
}

/** The item behind a public address, whoever asks; null when there is none to be served. */
export async function findServed(db: Db, id: string): Promise<ServedMedia | null> {
  return db.d1
    .prepare(
      `SELECT ${MEDIA_COLUMNS} FROM media m
       WHERE m.id = coalesce((SELECT media_id FROM uploads WHERE id = ?1), ?1) AND m.state IN ('ready', 'expiring')`,
    )
    .bind(id)
    .first<ServedMedia>();
}
