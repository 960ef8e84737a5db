import type { Actor } from "#core/actor.ts";
import type { JsonObject } from "#core/json.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { draftBytesSql } from "#quotas/index.ts";
import type { Draft, DraftSummary } from "./types.ts";

type Owner = Pick<Actor, "userId" | "workspaceId">;

interface DraftRow extends Omit<Draft, "content"> {
  readonly content: string;
}

const META = "id, workspace_id AS workspaceId, version, created_at AS createdAt, updated_at AS updatedAt";
const COLUMNS = `${META}, content`;

/** SQL of a text member of the content. A client may have sent anything else there, which is null. */
const textSql = (member: string) => `iif(json_type(content, '$.${member}') = 'text', content ->> '$.${member}', NULL)`;

/** SQL condition of every query, so that nobody reaches another user's drafts. It uses the parameters ?1 to ?3. */
const OWNED = "id = ?1 AND user_id = ?2 AND workspace_id = ?3";

const ownedBy = ({ userId, workspaceId }: Owner, id: string) => [id, userId, workspaceId] as const;

const toDraft = (row: DraftRow | null): Draft | null =>
  row && { ...row, content: JSON.parse(row.content) as JsonObject };

const DRAFT_BYTES = draftBytesSql("?2");

export interface DraftLimits {
  readonly drafts: number;
  readonly bytes: number;
}

/**
 * Inserts a draft. One statement counts and inserts, so that parallel calls cannot exceed a limit. Null if a limit is
 * reached.
 */
export async function insertDraft(
  db: Db,
  owner: Owner,
  draft: {
    readonly id: string;
    readonly content: JsonObject;
    readonly mediaIds: readonly string[];
    readonly now: number;
  },
  limits: DraftLimits,
): Promise<Draft | null> {
  const { id, content, mediaIds, now } = draft;
  const row = await db.d1
    .prepare(
      `INSERT INTO drafts (id, user_id, workspace_id, version, content, media_ids, created_at, updated_at)
       SELECT ?1, ?2, ?3, 1, ?4, ?5, ?6, ?6 WHERE (SELECT count(*) FROM drafts WHERE workspace_id = ?3) < ?7
         AND ${DRAFT_BYTES} + octet_length(?4) <= ?8
       RETURNING ${COLUMNS}`,
    )
    .bind(...ownedBy(owner, id), JSON.stringify(content), JSON.stringify(mediaIds), now, limits.drafts, limits.bytes)
    .first<DraftRow>();
  return toDraft(row);
}

export async function findDraft(db: Db, owner: Owner, id: string): Promise<Draft | null> {
  const row = await db.d1
    .prepare(`SELECT ${COLUMNS} FROM drafts WHERE ${OWNED}`)
    .bind(...ownedBy(owner, id))
    .first<DraftRow>();
  return toDraft(row);
}

/** Selects the drafts of a workspace, the last changed first. */
export async function selectDrafts(
  db: Db,
  { userId, workspaceId }: Owner,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly DraftSummary[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${META}, substr(${textSql("caption")}, 1, 140) AS caption,
         ${textSql("scheduled_at")} AS scheduledAt, ${textSql("time_zone")} AS timeZone
       FROM drafts WHERE workspace_id = ?1 AND user_id = ?2 ORDER BY updated_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
    )
    .bind(workspaceId, userId, page.limit, page.offset)
    .all<DraftSummary>();
  return results;
}

export async function selectDraftUse(
  db: Db,
  { userId, workspaceId }: Owner,
): Promise<{ readonly drafts: number; readonly bytes: number }> {
  const use = await db.d1
    .prepare(`SELECT (SELECT count(*) FROM drafts WHERE workspace_id = ?1) AS drafts, ${DRAFT_BYTES} AS bytes`)
    .bind(workspaceId, userId)
    .first<{ drafts: number; bytes: number }>();
  return use ?? { drafts: 0, bytes: 0 };
}

/**
 * Replaces a draft's content. Null if the draft does not exist, has another version, or would exceed the size limit.
 */
export async function replaceDraft(
  db: Db,
  owner: Owner,
  draft: Pick<Draft, "id" | "version" | "content"> & {
    readonly mediaIds: readonly string[];
    readonly now: number;
  },
  maxBytes: number,
): Promise<Draft | null> {
  const { id, version, content, mediaIds, now } = draft;
  const row = await db.d1
    .prepare(
      `UPDATE drafts SET version = version + 1, content = ?5, media_ids = ?6, updated_at = max(updated_at, ?7)
       WHERE ${OWNED} AND version = ?4
         AND (octet_length(?5) <= octet_length(content) OR ${DRAFT_BYTES} - octet_length(content) + octet_length(?5) <= ?8)
       RETURNING ${COLUMNS}`,
    )
    .bind(...ownedBy(owner, id), version, JSON.stringify(content), JSON.stringify(mediaIds), now, maxBytes)
    .first<DraftRow>();
  return toDraft(row);
}

/** Deletes a draft; false if it does not exist. */
export async function deleteDraftRow(db: Db, owner: Owner, id: string): Promise<boolean> {
  const deleted = await db.d1
    .prepare(`DELETE FROM drafts WHERE ${OWNED} RETURNING id`)
    .bind(...ownedBy(owner, id))
    .first();
  return deleted !== null;
}

/**
 * Deletes drafts that nobody has changed since `before`. Returns how many drafts; rows that triggers deleted do not
 * count.
 */
export async function deleteDraftsBefore(db: Db, before: number, limit: number): Promise<number> {
  const { results } = await db.d1
    .prepare(
      `DELETE FROM drafts WHERE id IN (SELECT id FROM drafts WHERE updated_at < ?1 ORDER BY updated_at LIMIT ?2) RETURNING id`,
    )
    .bind(before, limit)
    .all();
  return results.length;
}

/** A draft with a time, exactly as the client sent the time. */
export interface DatedDraft {
  readonly id: string;
  readonly scheduledAt: string;
  readonly timeZone: string | null;
  /** The first 140 characters of the caption; null if there is no caption. */
  readonly caption: string | null;
  /** The ids of the draft's accounts as a JSON array. The client may have sent anything instead of ids. */
  readonly accountIds: string;
}

interface DatedDraftsInput {
  readonly firstDay: string;
  readonly endDay: string;
  readonly limit: number;
  /** Only drafts with this label, or with this id in the makers' own system. */
  readonly label?: string | undefined;
  readonly externalId?: string | undefined;
}

/**
 * Selects drafts with a time on one of these days: `firstDay` <= day < `endDay`. The day is that of the draft's own
 * time zone.
 */
export function datedDraftsStatement(
  db: Db,
  { userId, workspaceId }: Owner,
  { firstDay, endDay, limit, label, externalId }: DatedDraftsInput,
): Statement<DatedDraft> {
  return db.d1
    .prepare(
      `SELECT id, content ->> '$.scheduled_at' AS scheduledAt, ${textSql("time_zone")} AS timeZone,
         substr(${textSql("caption")}, 1, 140) AS caption,
         (SELECT json_group_array(a.id) FROM (SELECT value AS id FROM json_each(content, '$.account_ids') WHERE type = 'text'
           UNION SELECT iif(type = 'object', value ->> '$.account_id', NULL) FROM json_each(content, '$.targets')) a) AS accountIds
       FROM drafts WHERE workspace_id = ?1 AND user_id = ?2 AND content ->> '$.scheduled_at' IS NOT NULL
         AND content ->> '$.scheduled_at' >= ?3 AND content ->> '$.scheduled_at' < ?4
         AND (?6 IS NULL OR EXISTS (SELECT 1 FROM json_each(content, '$.labels') WHERE value = ?6))
         AND (?7 IS NULL OR content ->> '$.external_id' = ?7) LIMIT ?5`,
    )
    .bind(workspaceId, userId, firstDay, endDay, limit, label ?? null, externalId ?? null);
}
