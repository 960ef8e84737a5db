import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";

export interface NearbyPostRow {
  readonly account_id: string;
  readonly due_at: number;
}

/** More than any daily cap needs. */
const MAX_NEARBY_POSTS = 2000;

/** By index on account and time; cancelled and paused posts do not count towards a cap. */
const NEARBY_POSTS = `SELECT DISTINCT t.post_id AS post_id, t.account_id AS account_id, t.due_at AS due_at
  FROM account_times w
  CROSS JOIN post_targets t ON t.account_id = w.account_id AND t.due_at > w.at - ?5 AND t.due_at < w.at + ?5
  CROSS JOIN posts p ON p.id = t.post_id
  WHERE t.state NOT IN ('failed', 'skipped') AND p.status NOT IN ('cancelled', 'paused')`;

/** The selected accounts; must match `accountsStatement` of the accounts module. */
const SELECTED_ACCOUNTS = `a.user_id = ?1 AND a.workspace_id = ?2 AND a.disconnected_at IS NULL
  AND (a.id IN (SELECT value FROM json_each(?3)) OR a.platform IN (SELECT value FROM json_each(?4)))`;

export interface AccountFilter {
  readonly ids: readonly string[];
  readonly platforms: readonly Platform[];
}

/** The due times of other posts of the selected accounts within a window around `at`. */
export function nearbyPostsStatement(
  db: Db,
  actor: Actor,
  filter: AccountFilter,
  at: number,
  windowMs: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH account_times AS (SELECT a.id AS account_id, ?6 AS at FROM accounts a WHERE ${SELECTED_ACCOUNTS})
       ${NEARBY_POSTS} LIMIT ${MAX_NEARBY_POSTS}`,
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(filter.ids), JSON.stringify(filter.platforms), windowMs, at);
}

export interface Rescheduling {
  readonly postIds: readonly string[];
  /** The new time of all posts; null shifts each one's own time by `shiftMs`. */
  readonly scheduledAt: number | null;
  readonly shiftMs: number;
}

/** The same for every post of an edit at its new time, for its own accounts and the newly selected ones. */
export function nearbyPostsOfEditStatement(
  db: Db,
  actor: Actor,
  filter: AccountFilter,
  rescheduling: Rescheduling,
  windowMs: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH rescheduled AS (
         SELECT p.id AS id, coalesce(?6, p.scheduled_at + ?7) AS at
         FROM json_each(?8) edited CROSS JOIN posts p ON p.id = edited.value
         WHERE p.user_id = ?1 AND p.workspace_id = ?2),
       account_times AS (
         SELECT t.account_id AS account_id, m.at AS at FROM rescheduled m CROSS JOIN post_targets t ON t.post_id = m.id
         UNION SELECT a.id, m.at FROM rescheduled m CROSS JOIN accounts a WHERE ${SELECTED_ACCOUNTS})
       ${NEARBY_POSTS} AND p.id NOT IN (SELECT value FROM json_each(?8)) LIMIT ${MAX_NEARBY_POSTS}`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      JSON.stringify(filter.ids),
      JSON.stringify(filter.platforms),
      windowMs,
      rescheduling.scheduledAt,
      rescheduling.shiftMs,
      JSON.stringify(rescheduling.postIds),
    );
}

/** The due times of each account. */
export function dueTimesByAccount(rows: readonly NearbyPostRow[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { account_id: accountId, due_at: dueAt } of rows) {
    times.set(accountId, [...(times.get(accountId) ?? []), dueAt]);
  }
  return times;
}
