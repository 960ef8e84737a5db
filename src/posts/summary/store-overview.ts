import type { Actor } from "#core/actor.ts";
import type { PausedReason } from "#core/codes.ts";
import type { Platform } from "#core/platform.ts";
import type { Statement, StatementResult } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { FailedPost, PostHistory, TargetProblem } from "./types.ts";
import { ACCOUNT_POSTS_MAX } from "./store-account-posts.ts";
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from "#posts/rows/store-post-rows.ts";

/* The statements of the overview page. Each reads a range of the index on workspace, status and time, so that the
   cost does not grow with the history. */

interface PageInput {
  readonly from: number;
  readonly limit: number;
}

export function nextPostsStatement(db: Db, actor: Actor, { from, limit }: PageInput): Statement<SummaryRow> {
  return db.d1
    .prepare(
      `SELECT ${SUMMARY_COLUMNS} FROM posts p
       WHERE p.workspace_id = ?1 AND p.user_id = ?2 AND p.status = 'scheduled' AND p.scheduled_at >= ?3
       ORDER BY p.scheduled_at, p.id LIMIT ?4`,
    )
    .bind(actor.workspaceId, actor.userId, from, limit);
}

const TARGET_PROBLEMS = `(SELECT json_group_array(json_object('position', t.position, 'problem', json_object('platform', t.platform,
    'username', t.username, 'status', t.state, 'message', t.error ->> '$.message'))) FROM post_targets t
  WHERE t.post_id = p.id AND t.state IN ('failed', 'unconfirmed')) AS problems`;

interface FailedPostRow extends SummaryRow {
  readonly problems: string;
}

/** A statement that selects the newest posts with one of these statuses and a target that was not published. */
export function failedPostsStatement(
  db: Db,
  actor: Actor,
  status: "failed" | "partially_failed",
  { from, limit }: PageInput,
): Statement<FailedPostRow> {
  return db.d1
    .prepare(
      `SELECT ${SUMMARY_COLUMNS}, ${TARGET_PROBLEMS} FROM posts p
       WHERE p.workspace_id = ?1 AND p.user_id = ?2 AND p.status = ?3 AND p.scheduled_at >= ?4
       ORDER BY p.scheduled_at DESC, p.id DESC LIMIT ?5`,
    )
    .bind(actor.workspaceId, actor.userId, status, from, limit);
}

/**
 * The problems of a post in the order of its targets. SQL does not sort them, because D1 would count every target as
 * read twice.
 */
export function toFailedPost(row: FailedPostRow): FailedPost {
  const problems = JSON.parse(row.problems) as { readonly position: number; readonly problem: TargetProblem }[];
  return {
    ...toSummary(row),
    problems: problems.toSorted((a, b) => a.position - b.position).map(({ problem }) => problem),
  };
}

interface PausedRow {
  readonly reason: PausedReason;
  readonly count: number;
}

interface HistoryRow {
  readonly has_posts: number;
  readonly has_published: number;
}

/** A statement that counts paused posts by reason, without those that the user paused. */
export function pausedPostsStatement(db: Db, actor: Actor): Statement<PausedRow> {
  return db.d1
    .prepare(
      `SELECT p.paused_reason AS reason, count(*) AS count FROM posts p
       WHERE p.workspace_id = ?1 AND p.user_id = ?2 AND p.status = 'paused' AND p.paused_reason <> 'user'
       GROUP BY p.paused_reason ORDER BY p.paused_reason`,
    )
    .bind(actor.workspaceId, actor.userId);
}

/** A statement that finds out whether the workspace has any post, and whether one was ever published. */
export function historyStatement(db: Db, actor: Actor): Statement<HistoryRow> {
  return db.d1
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM post_days WHERE workspace_id = ?1
           AND scheduled + publishing + published + partially_failed + failed + paused > 0) AS has_posts,
         EXISTS (SELECT 1 FROM post_days WHERE workspace_id = ?1 AND published + partially_failed > 0) AS has_published`,
    )
    .bind(actor.workspaceId);
}

export function readHistory({ results: [row] }: StatementResult<HistoryRow>): PostHistory {
  return { hasPosts: row?.has_posts === 1, hasPublished: row?.has_published === 1 };
}

/** A statement that counts the scheduled posts after the subscription ends. It reads nothing if no end is known. */
export function postsAfterStatement(
  db: Db,
  actor: Actor,
  subscriptionEndsAt: number | null,
): Statement<{ readonly count: number }> {
  return db.d1
    .prepare(
      `SELECT count(*) AS count FROM (SELECT 1 FROM posts p
       WHERE p.workspace_id = ?1 AND p.user_id = ?2 AND p.status = 'scheduled' AND p.scheduled_at >= ?3
       LIMIT ${ACCOUNT_POSTS_MAX + 1})`,
    )
    .bind(actor.workspaceId, actor.userId, subscriptionEndsAt ?? Number.MAX_SAFE_INTEGER);
}

interface SkippedRow {
  readonly platform: Platform;
  readonly count: number;
  readonly post_id: string;
}

/**
 * A statement that counts upcoming posts with a skipped target, by platform. CROSS JOIN keeps SQLite from starting with
 * the posts, so that only upcoming targets of disconnected accounts are read.
 */
export function skippedPostsStatement(db: Db, actor: Actor, now: number): Statement<SkippedRow> {
  return db.d1
    .prepare(
      // With a single min(), SQLite takes the other columns from the row with the minimum.
      `SELECT platform, count(DISTINCT post_id) AS count, min(scheduled_at), post_id
       FROM (SELECT t.platform AS platform, p.id AS post_id, p.scheduled_at AS scheduled_at
         FROM accounts a CROSS JOIN post_targets t ON t.account_id = a.id CROSS JOIN posts p ON p.id = t.post_id
         WHERE a.workspace_id = ?1 AND a.user_id = ?2 AND a.disconnected_at IS NOT NULL AND t.due_at > ?3 AND t.state = 'skipped'
           AND p.scheduled_at > ?3 AND p.status IN ('scheduled', 'paused') AND p.paused_reason IS NOT 'account'
         LIMIT ${ACCOUNT_POSTS_MAX + 1})
       GROUP BY platform ORDER BY platform`,
    )
    .bind(actor.workspaceId, actor.userId, now);
}
