import { DAY } from "#core/clock.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { randomPartsOf } from "./store-parts.ts";
import type { ArchivedAnnotationsRow, ArchivedPost, ArchivedPostRow, ArchivedTargetRow, ArchivePart } from "./types.ts";

/** A workspace with what decides how long its posts stay in the database. */
export interface WorkspaceToArchive {
  readonly id: string;
  readonly plan: Plan | null;
  readonly subscriptionStatus: SubscriptionStatus | null;
  /** The time (ms) of the workspace's oldest finished post; null if it has none. */
  readonly oldestAt: number | null;
}

const oldestOf = (status: string): string =>
  `SELECT p.scheduled_at AS at FROM posts p WHERE p.workspace_id = w.id AND p.status = '${status}' ORDER BY p.scheduled_at LIMIT 1`;

/** Selects workspaces in the order of their ids, beginning after `after`. It reads only a few rows for each. */
export async function selectWorkspaces(db: Db, after: string, limit: number): Promise<WorkspaceToArchive[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT w.id AS id, s.plan AS plan, s.status AS subscriptionStatus,
         (SELECT min(at) FROM (SELECT (${oldestOf("published")}) AS at UNION ALL SELECT (${oldestOf("partially_failed")})
            UNION ALL SELECT (${oldestOf("failed")}))) AS oldestAt
       FROM workspaces w LEFT JOIN subscriptions s ON s.user_id = w.user_id WHERE w.id > ?1 ORDER BY w.id LIMIT ?2`,
    )
    .bind(after, limit)
    .all<WorkspaceToArchive>();
  return results;
}

/**
 * SQL for posts (`p`) of workspace ?1 that can no longer change: finished, unchanged since ?2, and in no edit that
 * waits for approval. No event, notice or repeated request refers to posts from before ?2. The id must be a UUIDv7,
 * because the archive finds a post by the time in it.
 */
const ARCHIVABLE = `p.workspace_id = ?1 AND p.watch_at IS NULL AND p.updated_at < ?2 AND coalesce(p.finished_at, 0) < ?2
  AND substr(p.id, 15, 1) = '7'
  AND NOT EXISTS (SELECT 1 FROM approvals a, json_each(a.plan, '$.posts') waiting
    WHERE a.user_id = p.user_id AND a.state = 'pending' AND waiting.value ->> 'id' = p.id)`;

interface PostToMove {
  readonly id: string;
  readonly scheduled_at: number;
}

const withEachStatus = (select: (status: string) => string): string =>
  ["published", "partially_failed", "failed"].map((status) => `SELECT * FROM (${select(status)})`).join(" UNION ALL ");

/** Selects the workspace's earliest posts that can be archived, with `from` <= time < `until`. */
export async function selectArchivable(
  db: Db,
  workspaceId: string,
  range: { readonly unchangedSince: number; readonly from: number; readonly until: number },
  limit: number,
): Promise<PostToMove[]> {
  const ofStatus = (status: string) =>
    `SELECT p.id AS id, p.scheduled_at AS scheduled_at FROM posts p
     WHERE ${ARCHIVABLE} AND p.status = '${status}' AND p.scheduled_at >= ?3 AND p.scheduled_at < ?4 ORDER BY p.scheduled_at, p.id LIMIT ?5`;
  const { results } = await db.d1
    .prepare(`${withEachStatus(ofStatus)} ORDER BY 2, 1 LIMIT ?5`)
    .bind(workspaceId, range.unchangedSince, range.from, range.until, limit)
    .all<PostToMove>();
  return results;
}

/** Reads the complete rows of these posts in one transaction, in the order of `ids`. */
export async function readWholePosts(db: Db, ids: readonly string[]): Promise<ArchivedPost[]> {
  const list = JSON.stringify(ids);
  const { posts, targets, annotations } = await batch(db, {
    posts: withRows<ArchivedPostRow>(
      db.d1.prepare("SELECT p.* FROM json_each(?1) j CROSS JOIN posts p ON p.id = j.value").bind(list),
    ),
    targets: withRows<ArchivedTargetRow>(
      db.d1
        .prepare("SELECT t.* FROM json_each(?1) j CROSS JOIN post_targets t ON t.post_id = j.value ORDER BY j.key")
        .bind(list),
    ),
    annotations: withRows<ArchivedAnnotationsRow>(
      db.d1
        .prepare(
          `SELECT a.* FROM json_each(?1) j CROSS JOIN posts p ON p.id = j.value
         CROSS JOIN post_annotations a ON a.workspace_id = p.workspace_id AND a.post_id = p.id`,
        )
        .bind(list),
    ),
  });
  const targetsOf = Map.groupBy(targets.results, (target) => target.post_id);
  const annotationsOf = new Map(annotations.results.map((row) => [row["post_id"], row]));
  const postOf = new Map(posts.results.map((post) => [post.id, post]));
  return ids.flatMap((id) => {
    const post = postOf.get(id);
    const noted = annotationsOf.get(id);
    return post === undefined
      ? []
      : [{ post, targets: targetsOf.get(id) ?? [], ...(noted !== undefined && { annotations: noted }) }];
  });
}

/**
 * SQL for the state of a post that must not change between its reading and its deletion. It includes the targets, which
 * change alone when a person's data are erased. It includes the annotations, which users can write at any time.
 */
const STATE_OF_POST = `json_array(p.version, p.status, p.updated_at,
  json((SELECT json_array(count(*), max(t.updated_at)) FROM post_targets t WHERE t.post_id = p.id)),
  (SELECT a.updated_at FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id))`;

function stateOf({ post, targets, annotations }: ArchivedPost): unknown[] {
  const changes = targets.map((target) => Number(target["updated_at"]));
  return [
    post["version"],
    post.status,
    post["updated_at"],
    [targets.length, changes.length === 0 ? null : Math.max(...changes)],
    annotations?.["updated_at"] ?? null,
  ];
}

/**
 * Adds an archive file to the index and deletes its posts from the database, in one transaction. It does neither, and
 * returns false, if a post changed or was moved since it was read, or if the database is held.
 */
export async function commitPart(
  db: Db,
  part: ArchivePart & { readonly userId: string; readonly sizeBytes: number; readonly createdAt: number },
  posts: readonly ArchivedPost[],
): Promise<boolean> {
  const ids = posts.map(({ post }) => post.id);
  const sortedIds = ids.toSorted();
  const guard = Object.fromEntries(posts.map((post) => [post.post.id, stateOf(post)]));
  const accounts = new Set(posts.flatMap(({ targets }) => targets.map((target) => target.account_id)));
  const moved = `IN (SELECT j.value FROM json_each(?1) j WHERE EXISTS (
    SELECT 1 FROM archive_parts a WHERE a.workspace_id = ?2 AND a.first_at = ?3 AND a.id = ?4))`;
  const deleteMoved = (table: string, column: string) =>
    db.d1
      .prepare(`DELETE FROM ${table} WHERE ${column} ${moved}`)
      .bind(JSON.stringify(ids), part.workspaceId, part.firstAt, part.id);
  const { inserted } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO archive_parts (workspace_id, first_at, id, user_id, last_at, published, partially_failed, failed,
           size_bytes, created_at, first_id, last_id, accounts, ids)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, unhex(?14)
         WHERE (SELECT count(*) FROM json_each(?15) g CROSS JOIN posts p ON p.id = g.key AND ${STATE_OF_POST} = json(g.value)) = ?16
           AND NOT EXISTS (SELECT 1 FROM service WHERE held IS NOT NULL)`,
      )
      .bind(
        part.workspaceId,
        part.firstAt,
        part.id,
        part.userId,
        part.lastAt,
        part.counts.published,
        part.counts.partially_failed,
        part.counts.failed,
        part.sizeBytes,
        part.createdAt,
        sortedIds[0] ?? "",
        sortedIds.at(-1) ?? "",
        JSON.stringify([...accounts]),
        randomPartsOf(ids),
        JSON.stringify(guard),
        posts.length,
      ),
    targets: deleteMoved("post_targets", "post_id"),
    media: deleteMoved("post_media", "post_id"),
    posts: deleteMoved("posts", "id"),
    days: db.d1
      .prepare(
        `DELETE FROM post_days WHERE workspace_id = ?1 AND day BETWEEN ?2 AND ?3
           AND scheduled + publishing + published + partially_failed + failed + paused = 0`,
      )
      .bind(part.workspaceId, Math.floor(part.firstAt / DAY), Math.floor(part.lastAt / DAY)),
  });
  return inserted.meta.changes === 1;
}
