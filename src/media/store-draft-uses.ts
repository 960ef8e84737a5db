import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

/** A draft that uses a media item. `uses` is the number of all such drafts. */
export interface DraftUseRow {
  readonly mediaId: string;
  readonly draftId: string;
  readonly uses: number;
}

/**
 * SQL for the drafts of workspace ?1 that use the items from the SQL `items`. A draft may name an item by its id, or by
 * the id of an upload with the same bytes.
 */
const namedBy = (items: string): string =>
  `SELECT i.id AS mediaId, d.draft_id AS draftId FROM (${items}) i
    CROSS JOIN draft_media d ON d.workspace_id = ?1 AND d.media_id = i.id
  UNION SELECT i.id, d.draft_id FROM (${items}) i
    CROSS JOIN uploads u ON u.media_id = i.id CROSS JOIN draft_media d ON d.workspace_id = ?1 AND d.media_id = u.id`;

/**
 * SQL: whether a draft of the workspace uses an item, which it may name by its id or by the id of an upload with the
 * same bytes. Both arguments are SQL.
 */
export const namedByDraft = (mediaId: string, workspaceId: string): string =>
  `(EXISTS (SELECT 1 FROM draft_media d WHERE d.media_id = ${mediaId} AND d.workspace_id = ${workspaceId})
  OR EXISTS (SELECT 1 FROM uploads u CROSS JOIN draft_media d ON d.media_id = u.id AND d.workspace_id = ${workspaceId}
    WHERE u.media_id = ${mediaId} AND u.id <> ${mediaId}))`;

/**
 * A statement that selects the drafts which use the items from the SQL `items`, newest first and at most `limit` for
 * each item. The parameters of `items` begin at ?3.
 */
export function draftUsesStatement(
  db: Db,
  items: string,
  { workspaceId, limit, parameters }: { workspaceId: string; limit: number; parameters: readonly unknown[] },
): Statement<DraftUseRow> {
  return db.d1
    .prepare(
      `SELECT mediaId, draftId, uses FROM (
        SELECT mediaId, draftId, count(*) OVER (PARTITION BY mediaId) AS uses,
          row_number() OVER (PARTITION BY mediaId ORDER BY draftId DESC) AS place
        FROM (${namedBy(items)})) WHERE place <= ?2 ORDER BY mediaId, place`,
    )
    .bind(workspaceId, limit, ...parameters);
}
