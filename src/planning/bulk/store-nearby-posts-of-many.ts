import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import {
  type AccountFilter,
  type NearbyQuery,
  SELECTED_ACCOUNTS,
  TEXT,
  TIME,
} from "#planning/checks/store-nearby-posts.ts";

/** The texts around many new posts are compared with so many of each account. */
const COMPARED_POSTS_OF_MANY = 100;

/** From the first to the last of times that are closer together than any window. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The other posts of the selected accounts around many times. Each range is read once, however many times it has; every post of a cap's
 * window, because those nearest to the range's ends decide nothing about the times between them.
 */
export function nearbyPostsOfManyStatement(
  db: Db,
  actor: Actor,
  filter: AccountFilter,
  ranges: readonly TimeRange[],
  query: NearbyQuery,
): D1PreparedStatement {
  const textRows = Math.ceil(COMPARED_POSTS_OF_MANY / Math.max(1, ranges.length));
  return db.d1
    .prepare(
      `WITH account_ranges AS (
         SELECT a.id AS account_id, a.platform AS platform, r.value ->> 'first' AS first, r.value ->> 'last' AS last
         FROM json_each(?7) r CROSS JOIN accounts a WHERE ${SELECTED_ACCOUNTS})
       SELECT w.account_id AS account_id, ${postsInRange("?5", TIME, "")} AS times_before, '[]' AS times_after,
         ${postsInRange("?6", TEXT, `ORDER BY t.due_at LIMIT ${textRows}`)} AS texts_before, '[]' AS texts_after
       FROM account_ranges w`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      JSON.stringify(filter.ids),
      JSON.stringify(filter.platforms),
      JSON.stringify(query.capWindows),
      JSON.stringify(query.textWindows),
      JSON.stringify(ranges),
    );
}

function postsInRange(windows: string, member: string, end: string): string {
  const window = `${windows} ->> w.platform`;
  return `(SELECT json_group_array(json(post)) FROM (SELECT ${member} AS post FROM post_targets t CROSS JOIN posts p ON p.id = t.post_id
    WHERE t.account_id = w.account_id AND t.state NOT IN ('failed', 'skipped') AND p.status NOT IN ('cancelled', 'paused')
      AND t.due_at > w.first - (${window}) AND t.due_at < w.last + (${window}) ${end}))`;
}
