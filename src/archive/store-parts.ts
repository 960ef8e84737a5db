import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import type { ArchivePart } from "./types.ts";

type Owner = Pick<Actor, "userId" | "workspaceId">;

interface PartColumns {
  readonly workspace_id: string;
  readonly id: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly published: number;
  readonly partially_failed: number;
  readonly failed: number;
}

const PART_COLUMNS = "workspace_id, id, first_at, last_at, published, partially_failed, failed";

function toPart(row: PartColumns): ArchivePart {
  const { published, partially_failed, failed } = row;
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    firstAt: row.first_at,
    lastAt: row.last_at,
    counts: { published, partially_failed, failed },
  };
}

/**
 * Selects the archive files of the workspace that may have posts with `from` <= time < `until`, ordered by the time of
 * their first post.
 */
export async function selectParts(
  db: Db,
  owner: Owner,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<ArchivePart[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${PART_COLUMNS} FROM archive_parts
       WHERE workspace_id = ?1 AND first_at < ?3 AND user_id = ?2 AND last_at >= ?4 ORDER BY first_at, id`,
    )
    .bind(owner.workspaceId, owner.userId, until, from)
    .all<PartColumns>();
  return results.map(toPart);
}

/** Finds the archive file that contains a post; undefined for another user's post. */
export async function findPartOfPost(db: Db, owner: Owner, postId: string): Promise<ArchivePart | undefined> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${PART_COLUMNS} FROM archive_parts
       WHERE workspace_id = ?1 AND user_id = ?2 AND first_id <= ?3 AND last_id >= ?3 AND instr(ids, unhex(?4)) > 0`,
    )
    .bind(owner.workspaceId, owner.userId, postId, randomPartsOf([postId]))
    .all<PartColumns>();
  return results.map(toPart)[0];
}

export async function selectArchivedIds(db: Db, owner: Owner, ids: readonly string[]): Promise<string[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT w.value ->> 0 AS id FROM json_each(?3) w WHERE EXISTS (SELECT 1 FROM archive_parts a
         WHERE a.workspace_id = ?1 AND a.user_id = ?2 AND a.first_id <= w.value ->> 0 AND a.last_id >= w.value ->> 0
           AND instr(a.ids, unhex(w.value ->> 1)) > 0)`,
    )
    .bind(owner.workspaceId, owner.userId, JSON.stringify(ids.map((id) => [id, randomPartsOf([id])])))
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Selects the archive files of these workspaces that have posts of any of the accounts. */
export async function selectPartsOfAccounts(
  db: Db,
  workspaceIds: readonly string[],
  accountIds: readonly string[],
): Promise<ArchivePart[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${PART_COLUMNS} FROM archive_parts WHERE workspace_id IN (SELECT value FROM json_each(?1))
         AND EXISTS (SELECT 1 FROM json_each(accounts) a JOIN json_each(?2) wanted ON wanted.value = a.value)`,
    )
    .bind(JSON.stringify(workspaceIds), JSON.stringify(accountIds))
    .all<PartColumns>();
  return results.map(toPart);
}

export async function updatePartSize(db: Db, part: ArchivePart, sizeBytes: number): Promise<void> {
  await db.d1
    .prepare("UPDATE archive_parts SET size_bytes = ?4 WHERE workspace_id = ?1 AND first_at = ?2 AND id = ?3")
    .bind(part.workspaceId, part.firstAt, part.id, sizeBytes)
    .run();
}

const RANDOM_DIGITS = 16;

/** Joins the random last eight bytes of each id, in hexadecimal. The index finds the file of a post by them. */
export function randomPartsOf(ids: readonly string[]): string {
  return ids.map((id) => id.replaceAll("-", "").slice(-RANDOM_DIGITS)).join("");
}

export async function selectPartIdsOfWorkspace(db: Db, workspaceId: string): Promise<ReadonlySet<string>> {
  const { results } = await db.d1
    .prepare("SELECT id FROM archive_parts WHERE workspace_id = ?")
    .bind(workspaceId)
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}

/** The position of an archive file in the order of the workspace's index. */
export interface PartPosition {
  readonly firstAt: number;
  readonly id: string;
}

/**
 * Selects the archive files of a workspace after `after`, up to and including `to`. Null means that this side has no
 * limit.
 */
export async function selectPartsBetween(
  db: Db,
  workspaceId: string,
  {
    after,
    to,
    limit,
  }: { readonly after: PartPosition | null; readonly to: PartPosition | null; readonly limit: number },
): Promise<ArchivePart[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${PART_COLUMNS} FROM archive_parts WHERE workspace_id = ?1 AND (first_at, id) > (?2, ?3)
         AND (?4 IS NULL OR (first_at, id) <= (?4, ?5)) ORDER BY first_at, id LIMIT ?6`,
    )
    .bind(workspaceId, after?.firstAt ?? -1, after?.id ?? "", to?.firstAt ?? null, to?.id ?? null, limit)
    .all<PartColumns>();
  return results.map(toPart);
}

/**
 * Deletes the index of a workspace. Keys are compared as texts: the range ends at `0`, the character after the `/`
 * behind the workspace's id.
 */
export async function deleteIndexOfWorkspace(db: Db, workspaceId: string, prefix: string): Promise<void> {
  await db.d1.batch([
    db.d1.prepare("DELETE FROM archive_parts WHERE workspace_id = ?").bind(workspaceId),
    db.d1
      .prepare("DELETE FROM archive_orphans WHERE key > ?1 AND key < ?2")
      .bind(`${prefix}${workspaceId}/`, `${prefix}${workspaceId}0`),
  ]);
}
