import type { Actor } from "#core/actor.ts";
import type { FileType, PostStatus } from "#core/status.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { draftUsesStatement, type DraftUseRow, namedByDraft } from "#media/store-draft-uses.ts";
import { USED_BYTES } from "#media/storage/store-save-media.ts";
import { MEDIA_COLUMNS, type ReadyMediaRow } from "#media/store.ts";

type Owner = Pick<Actor, "userId" | "workspaceId">;

/** The position of an item in the library, where newer items come first. */
export interface LibraryPosition {
  readonly createdAt: number;
  readonly id: string;
}

interface LibraryRow extends ReadyMediaRow {
  readonly createdAt: number;
}

/** A post that uses a media item. `uses` is the number of all such posts. */
export interface MediaUseRow {
  readonly mediaId: string;
  readonly postId: string;
  readonly scheduledAt: number;
  readonly status: PostStatus;
  readonly uses: number;
}

export interface LibraryPage {
  readonly rows: readonly LibraryRow[];
  readonly uses: readonly MediaUseRow[];
  readonly draftUses: readonly DraftUseRow[];
  readonly usedBytes: number;
}

/**
 * SQL for the usable media items of workspace ?1 and user ?2 after the position (?3, ?4). It follows the index
 * `media_library`.
 */
const PAGE = `FROM media m WHERE m.workspace_id = ?1 AND m.user_id = ?2 AND m.state = 'ready' AND (m.created_at, m.id) < (?3, ?4)
  AND (?5 IS NULL OR m.type = ?5) ORDER BY m.created_at DESC, m.id DESC LIMIT ?6`;

/** SQL order for the posts that use an item: the next one first. If no post is ahead, the most recent one. */
const NEXT_FIRST = "p.scheduled_at < ?1, abs(p.scheduled_at - ?1)";

/** A statement that selects posts which use the items from the SQL `items`, at most ?2 for each item. */
function usesStatement(db: Db, items: string, parameters: readonly unknown[]): Statement<MediaUseRow> {
  return db.d1
    .prepare(`SELECT mediaId, postId, scheduledAt, status, uses FROM (
    SELECT pm.media_id AS mediaId, p.id AS postId, p.scheduled_at AS scheduledAt, p.status AS status,
      count(*) OVER (PARTITION BY pm.media_id) AS uses,
      row_number() OVER (PARTITION BY pm.media_id ORDER BY ${NEXT_FIRST}) AS place
    FROM (${items}) i CROSS JOIN post_media pm ON pm.media_id = i.id CROSS JOIN posts p ON p.id = pm.post_id
    WHERE p.status <> 'cancelled') WHERE place <= ?2 ORDER BY mediaId, place`)
    .bind(...parameters);
}

const LAST_POSITION: LibraryPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

/** Selects one page of the library, the uses of its items, and the storage that the user's workspaces use. */
export async function selectLibraryPage(
  db: Db,
  owner: Owner,
  page: {
    readonly before: LibraryPosition | null;
    readonly type: FileType | null;
    readonly rows: number;
    readonly usesPerItem: number;
    readonly now: number;
  },
): Promise<LibraryPage> {
  const { createdAt, id } = page.before ?? LAST_POSITION;
  const parameters = [owner.workspaceId, owner.userId, createdAt, id, page.type, page.rows] as const;
  // The parameters of the page follow the two parameters of the uses, so shift their numbers.
  const shifted = `SELECT m.id AS id ${PAGE.replaceAll(/\?(\d)/g, (_, number: string) => `?${Number(number) + 2}`)}`;
  const { rows, uses, storage, draftUses } = await batch(db, {
    rows: withRows<LibraryRow>(
      db.d1.prepare(`SELECT ${MEDIA_COLUMNS}, m.created_at AS createdAt ${PAGE}`).bind(...parameters),
    ),
    uses: usesStatement(db, shifted, [page.now, page.usesPerItem, ...parameters]),
    // The SQL `USED_BYTES` reads the workspace from ?2 and does not use ?1.
    storage: withRows<Pick<LibraryPage, "usedBytes">>(
      db.d1.prepare(`SELECT ${USED_BYTES} AS usedBytes`).bind(null, owner.workspaceId),
    ),
    draftUses: draftUsesStatement(db, shifted, { workspaceId: owner.workspaceId, limit: page.usesPerItem, parameters }),
  });
  return {
    rows: rows.results,
    uses: uses.results,
    draftUses: draftUses.results,
    usedBytes: storage.results[0]?.usedBytes ?? 0,
  };
}

/** Selects the posts and drafts that use one item. */
export async function selectUses(
  db: Db,
  { workspaceId }: Owner,
  mediaId: string,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<Pick<LibraryPage, "uses" | "draftUses">> {
  const item = "SELECT ?3 AS id";
  const { uses, draftUses } = await batch(db, {
    uses: usesStatement(db, item, [now, limit, mediaId]),
    draftUses: draftUsesStatement(db, item, { workspaceId, limit, parameters: [mediaId] }),
  });
  return { uses: uses.results, draftUses: draftUses.results };
}

/**
 * Marks an item without uses for the clean-up, which deletes the file. One statement checks and changes: an earlier
 * confirm counts as use, and a later confirm no longer finds the item and writes nothing.
 */
export async function removeUnused(db: Db, owner: Owner, id: string, now: number): Promise<boolean> {
  const { meta } = await db.d1
    .prepare(
      `UPDATE media SET state = 'removing', sweep_at = ?4
       WHERE id = ?1 AND workspace_id = ?2 AND user_id = ?3 AND state IN ('ready', 'expiring')
         AND NOT EXISTS (SELECT 1 FROM post_media pm CROSS JOIN posts p ON p.id = pm.post_id
           WHERE pm.media_id = ?1 AND p.status <> 'cancelled')
         AND NOT ${namedByDraft("?1", "?2")}`,
    )
    .bind(id, owner.workspaceId, owner.userId, now)
    .run();
  return meta.changes > 0;
}

/** The file name of an item that can be deleted or used. Null if the actor's workspace has no such item. */
export async function selectFilename(db: Db, owner: Owner, id: string): Promise<string | null> {
  const row = await db.d1
    .prepare(
      `SELECT filename FROM media WHERE id = ?1 AND workspace_id = ?2 AND user_id = ?3 AND state IN ('ready', 'expiring')`,
    )
    .bind(id, owner.workspaceId, owner.userId)
    .first<{ filename: string }>();
  return row?.filename ?? null;
}
