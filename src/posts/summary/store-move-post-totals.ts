import { DAY } from "#core/clock.ts";
import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { COUNTED_STATUSES } from "./store-counted-posts.ts";
import { TOTALS_AHEAD_DAYS, TOTALS_BEFORE_DAYS } from "#db/first-totals.ts";

/** A total is moved only if it is this many days behind, because each move writes a row. */
const LAG_BEFORE = 7;
const LAG_AHEAD = 30;

/**
 * Moves totals forward to the present, at most `limit` on each side. Returns how many. Each move is one statement, so
 * that no change of a post can come between.
 */
export async function movePostTotals(db: Db, now: number, limit: number): Promise<number> {
  const today = Math.floor(now / DAY);
  const { before, from } = await batch(db, {
    before: moveStatement(db, "before", "+", { day: today - TOTALS_BEFORE_DAYS, lag: LAG_BEFORE, limit }),
    from: moveStatement(db, "from", "-", { day: today + TOTALS_AHEAD_DAYS, lag: LAG_AHEAD, limit }),
  });
  return before.meta.changes + from.meta.changes;
}

/**
 * A statement that moves the day of a total forward. The days between are added to the `before` total, or subtracted
 * from the `from` total.
 */
function moveStatement(
  db: Db,
  side: "before" | "from",
  sign: "+" | "-",
  { day, lag, limit }: { readonly day: number; readonly lag: number; readonly limit: number },
): D1PreparedStatement {
  const passed = "d.workspace_id = post_totals.workspace_id AND d.day >= post_totals.day AND d.day < ?2";
  const sums = COUNTED_STATUSES.map((name) => `post_totals.${name} ${sign} coalesce(sum(d.${name}), 0)`).join(", ");
  const platforms = `(SELECT json_group_object(k, n) FROM (SELECT k, sum(n) AS n FROM (
      SELECT key AS k, value AS n FROM json_each(post_totals.platforms)
      UNION ALL SELECT j.key, ${sign}j.value FROM post_days d, json_each(d.platforms) j WHERE ${passed}) GROUP BY k HAVING sum(n) > 0))`;
  return db.d1
    .prepare(
      `UPDATE post_totals SET day = ?2, platforms = ${platforms},
         (${COUNTED_STATUSES.join(", ")}) = (SELECT ${sums} FROM post_days d WHERE ${passed})
       WHERE (workspace_id, side) IN (SELECT t.workspace_id, t.side FROM post_totals t WHERE t.side = ?1 AND t.day < ?3 LIMIT ?4)`,
    )
    .bind(side, day, day - lag, limit);
}
