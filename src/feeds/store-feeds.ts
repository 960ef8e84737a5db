import type { Actor } from "#core/actor.ts";
import { POST_STATUSES, type PostStatus, type TargetState } from "#core/status.ts";
import type { Platform } from "#core/platform.ts";
import type { StoredAttempt } from "#db/schema.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { fromPostsByTimeSql, postsByTimeSql } from "#posts/rows/store-posts-by-time.ts";
import type { CalendarFeed } from "./types.ts";

/**
 * Inserts a feed; false if the workspace already has `limit` feeds. One statement counts and inserts, so that parallel
 * calls cannot exceed the limit.
 */
export async function insertFeed(
  db: Db,
  actor: Actor,
  feed: { readonly hash: string; readonly now: number },
  limit: number,
): Promise<boolean> {
  const { meta } = await db.d1
    .prepare(
      `INSERT INTO calendar_feeds (hash, workspace_id, user_id, created_at)
       SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM calendar_feeds WHERE workspace_id = ?2) < ?5`,
    )
    .bind(feed.hash, actor.workspaceId, actor.userId, feed.now, limit)
    .run();
  return meta.changes > 0;
}

export async function selectFeeds(db: Db, actor: Actor): Promise<readonly CalendarFeed[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT hash AS id, created_at AS createdAt FROM calendar_feeds
       WHERE workspace_id = ?1 AND user_id = ?2 ORDER BY created_at, hash`,
    )
    .bind(actor.workspaceId, actor.userId)
    .all<CalendarFeed>();
  return results;
}

/** Deletes a feed; false if the workspace has no such feed. */
export async function deleteFeed(db: Db, actor: Actor, hash: string): Promise<boolean> {
  const { meta } = await db.d1
    .prepare("DELETE FROM calendar_feeds WHERE hash = ?1 AND workspace_id = ?2 AND user_id = ?3")
    .bind(hash, actor.workspaceId, actor.userId)
    .run();
  return meta.changes > 0;
}

export interface FeedTargetRow {
  readonly position: number;
  readonly platform: Platform;
  readonly username: string;
  readonly state: TargetState;
  readonly nextAttemptAt: number | null;
  readonly verifyHistory: readonly StoredAttempt[] | null;
  readonly url: string | null;
}

export interface FeedPostRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly scheduled_at: number;
  readonly updated_at: number;
  readonly caption: string;
  /** The targets as a JSON array of `FeedTargetRow`, in no order. */
  readonly targets: string;
}

export interface FeedRows {
  readonly workspaceName: string | null;
  /**
   * How often the feed has changed. If it equals the number in the query, the feed is unchanged, and no posts are read.
   */
  readonly changes: number;
  /** The posts, ordered by time. */
  readonly posts: readonly FeedPostRow[];
  /** The cancelled posts, ordered by time. */
  readonly cancelled: readonly FeedPostRow[];
}

interface FeedQuery {
  readonly hash: string;
  readonly from: number;
  readonly until: number;
  readonly rows: number;
  /** The number of changes that the caller's file has. Null if the caller has no file. */
  readonly knownChanges: number | null;
}

/**
 * The longest caption in a feed, in characters. The whole captions of 2,000 posts are 40 MB, and calendar programs do
 * not show them.
 */
const CAPTION_CHARACTERS = 500;

const COLUMNS = `p.id AS id, p.status AS status, p.version AS version, p.scheduled_at AS scheduled_at, p.updated_at AS updated_at,
  iif(length(p.caption) > ${CAPTION_CHARACTERS}, substr(p.caption, 1, ${CAPTION_CHARACTERS}) || '…', p.caption) AS caption, (SELECT json_group_array(json_object('position', t.position, 'platform', t.platform, 'username', t.username,
    'state', t.state, 'nextAttemptAt', t.next_attempt_at, 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL),
    'url', t.remote_url)) FROM post_targets t WHERE t.post_id = p.id) AS targets`;

function postsStatement(db: Db, statuses: readonly PostStatus[], query: FeedQuery): Statement<FeedPostRow> {
  const selected = postsByTimeSql({
    statuses,
    from: "calendar_feeds f CROSS JOIN posts p ON p.workspace_id = f.workspace_id",
    where:
      "f.hash = ?1 AND f.changes IS NOT ?5 AND p.user_id = f.user_id AND p.scheduled_at >= ?2 AND p.scheduled_at < ?3",
  });
  return db.d1
    .prepare(`SELECT ${COLUMNS} ${fromPostsByTimeSql(`${selected} LIMIT ?4`)}`)
    .bind(query.hash, query.from, query.until, query.rows, query.knownChanges);
}

/** The statements of `selectFeedRows`. They are separate, so that a test can check their query plans. */
export function feedStatements(db: Db, query: FeedQuery) {
  return {
    workspace: withRows<{ readonly name: string; readonly changes: number }>(
      db.d1
        .prepare(
          `SELECT w.name AS name, f.changes AS changes FROM calendar_feeds f JOIN workspaces w ON w.id = f.workspace_id JOIN users u ON u.id = f.user_id
         WHERE f.hash = ?1 AND u.disabled_at IS NULL`,
        )
        .bind(query.hash),
    ),
    posts: postsStatement(db, POST_STATUSES, query),
    cancelled: postsStatement(db, ["cancelled"], query),
  };
}

/** Reads the rows of a feed in one round trip. */
export async function selectFeedRows(db: Db, query: FeedQuery): Promise<FeedRows> {
  const { workspace, posts, cancelled } = await batch(db, feedStatements(db, query));
  return {
    workspaceName: workspace.results[0]?.name ?? null,
    changes: workspace.results[0]?.changes ?? 0,
    posts: posts.results,
    cancelled: cancelled.results,
  };
}
