import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";

export interface NearbyPostRow {
  readonly post_id: string;
  readonly account_id: string;
  readonly due_at: number;
  readonly published_at: number | null;
  /** As `comparedPart` shortens it; null where the platform does not refuse duplicates. */
  readonly text: string | null;
}

/** More than any daily cap needs. */
const MAX_NEARBY_POSTS = 2000;

/** Of long texts only both ends are read, so that the rows of a preview stay a few megabytes. */
const COMPARED_END = 500;

const COMPARED_PART = `substr(t.effective_caption, 1, ${COMPARED_END}) ||
  substr(t.effective_caption, max(${COMPARED_END} + 1, length(t.effective_caption) - ${COMPARED_END} + 1))`;

/** The part of a text that the statements read of stored ones: all of it, or both ends of a long one. */
export function comparedPart(text: string): string {
  // SQLite counts code points too.
  const characters = [...text];
  const end = characters.slice(Math.max(COMPARED_END, characters.length - COMPARED_END));
  return [...characters.slice(0, COMPARED_END), ...end].join("");
}

/** What a preview asks of the posts around its own. */
export interface NearbyQuery {
  readonly windowMs: number;
  /** The platforms whose texts are read. */
  readonly textPlatforms: readonly Platform[];
}

/** By index on account and time; cancelled and paused posts neither count towards a cap nor as duplicates. */
const NEARBY_POSTS = `SELECT DISTINCT t.post_id AS post_id, t.account_id AS account_id, t.due_at AS due_at, t.published_at AS published_at,
    CASE WHEN t.platform IN (SELECT value FROM json_each(?6)) THEN ${COMPARED_PART} END AS text
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

/** The other posts of the selected accounts within a window around `at`. */
export function nearbyPostsStatement(
  db: Db,
  actor: Actor,
  filter: AccountFilter,
  at: number,
  { windowMs, textPlatforms }: NearbyQuery,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH account_times AS (SELECT a.id AS account_id, ?7 AS at FROM accounts a WHERE ${SELECTED_ACCOUNTS})
       ${NEARBY_POSTS} LIMIT ${MAX_NEARBY_POSTS}`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      JSON.stringify(filter.ids),
      JSON.stringify(filter.platforms),
      windowMs,
      JSON.stringify(textPlatforms),
      at,
    );
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
  { windowMs, textPlatforms }: NearbyQuery,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH rescheduled AS (
         SELECT p.id AS id, coalesce(?7, p.scheduled_at + ?8) AS at
         FROM json_each(?9) edited CROSS JOIN posts p ON p.id = edited.value
         WHERE p.user_id = ?1 AND p.workspace_id = ?2),
       account_times AS (
         SELECT t.account_id AS account_id, m.at AS at FROM rescheduled m CROSS JOIN post_targets t ON t.post_id = m.id
         UNION SELECT a.id, m.at FROM rescheduled m CROSS JOIN accounts a WHERE ${SELECTED_ACCOUNTS})
       ${NEARBY_POSTS} AND p.id NOT IN (SELECT value FROM json_each(?9)) LIMIT ${MAX_NEARBY_POSTS}`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      JSON.stringify(filter.ids),
      JSON.stringify(filter.platforms),
      windowMs,
      JSON.stringify(textPlatforms),
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

/** A text that an account posts, or has posted, at a time. */
export interface TextAtTime {
  readonly postId: string;
  readonly at: number;
  readonly text: string;
}

/** The texts of each account, with the time at which they were published or are due. */
export function textsByAccount(rows: readonly NearbyPostRow[]): Map<string, TextAtTime[]> {
  const texts = new Map<string, TextAtTime[]>();
  for (const { post_id: postId, account_id: accountId, due_at: dueAt, published_at: publishedAt, text } of rows) {
    if (text !== null) {
      const ofAccount = texts.get(accountId) ?? [];
      ofAccount.push({ postId, at: publishedAt ?? dueAt, text });
      texts.set(accountId, ofAccount);
    }
  }
  return texts;
}
