import { DAY } from "#core/clock.ts";

/** So many days before today, and after it, are in no total: most changes of posts concern these. */
export const TOTALS_BEFORE_DAYS = 2;
export const TOTALS_AHEAD_DAYS = 61;

/**
 * The totals of a new workspace, if it exists. Not a trigger: the number of changes by which a statement tells whether it inserted a
 * workspace would count them.
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
