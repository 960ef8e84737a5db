import { DAY } from "#core/clock.ts";

/**
 * How many days before and after today `post_totals` leaves out. Most changes of posts concern these days and would
 * otherwise write that table each time.
 */
export const TOTALS_BEFORE_DAYS = 2;
export const TOTALS_AHEAD_DAYS = 61;

/**
 * Inserts the totals of a new workspace, if the workspace exists. A trigger cannot do this: D1 would count its rows as
 * changes, by which callers see whether the workspace was inserted.
 */
export function firstTotalsStatement(
  d1: Pick<D1Database, "prepare">,
  workspaceId: string,
  now: number,
): D1PreparedStatement {
  const today = Math.floor(now / DAY);
  return d1
    .prepare(
      `INSERT OR IGNORE INTO post_totals (workspace_id, side, day)
       SELECT w.id, s.key, s.value FROM workspaces w CROSS JOIN json_each(?2) s WHERE w.id = ?1`,
    )
    .bind(workspaceId, JSON.stringify({ before: today - TOTALS_BEFORE_DAYS, from: today + TOTALS_AHEAD_DAYS }));
}
