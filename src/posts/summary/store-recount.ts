import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { COUNTED_STATUSES } from "./store-counted-posts.ts";
import { LISTED_SQL } from "#posts/rows/store-posts-by-time.ts";

export interface DayKey {
  readonly workspaceId: string;
  /** The day, as a number since 1970, UTC. */
  readonly day: number;
}

/** A row of `post_days` by column name. JSON columns are texts. */
export type DayRow = Readonly<Record<string, string | number>>;

export interface DayRecount {
  readonly key: DayKey;
  /** The stored row. Null if the day had posts but no row. */
  readonly before: DayRow | null;
  /** The corrected row. Null if the stored row was right. */
  readonly after: DayRow | null;
}

const DAY_MS = 86_400_000;

/** Selects the days that have a row of counters, after the day `after`, in the order of the primary key. */
export async function selectCountedDays(db: Db, after: DayKey, limit: number): Promise<DayKey[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT workspace_id AS workspaceId, day FROM post_days WHERE (workspace_id, day) > (?1, ?2)
       ORDER BY workspace_id, day LIMIT ?3`,
    )
    .bind(after.workspaceId, after.day, limit)
    .all<DayKey>();
  return results;
}

/** SQL for the next day, after the one in `days`, on which the same workspace has posts. */
const NEXT_DAY_OF_WORKSPACE = `SELECT json_array((days.key ->> 0), min(first.at) / ${DAY_MS}) FROM (
  SELECT (SELECT p.scheduled_at FROM posts p WHERE p.workspace_id = (days.key ->> 0) AND p.status = s.value
      AND p.scheduled_at >= ((days.key ->> 1) + 1) * ${DAY_MS} ORDER BY p.scheduled_at LIMIT 1) AS at
  FROM json_each('${JSON.stringify(POST_STATUSES)}') s) first HAVING min(first.at) IS NOT NULL`;

/** SQL for the next workspace with a post, with a day before its first one. */
const NEXT_WORKSPACE = `SELECT json_array(p.workspace_id, -1) FROM posts p WHERE p.workspace_id > (days.key ->> 0)
  ORDER BY p.workspace_id LIMIT 1`;

/**
 * Selects the days on which a workspace has posts, after `after`. It goes from day to day in the index, so it reads one
 * row per status for each day.
 */
export async function selectDaysOfPosts(db: Db, after: DayKey, limit: number): Promise<DayKey[]> {
  const { results } = await db.d1
    .prepare(
      `WITH RECURSIVE days(key) AS (
         SELECT json_array(?1, ?2)
         UNION ALL
         SELECT coalesce((${NEXT_DAY_OF_WORKSPACE}), (${NEXT_WORKSPACE}))
         FROM days WHERE days.key IS NOT NULL
       )
       SELECT key ->> 0 AS workspaceId, key ->> 1 AS day FROM days
       WHERE key IS NOT NULL AND key ->> 1 >= 0 AND (key ->> 0, key ->> 1) <> (?1, ?2) LIMIT ?3`,
    )
    .bind(after.workspaceId, after.day, limit)
    .all<DayKey>();
  return results;
}

/** Computes the rows of these days from the posts, and replaces wrong ones in the same batch. */
export async function recountDayRows(db: Db, keys: readonly DayKey[]): Promise<DayRecount[]> {
  const forEachDay = (sql: string) =>
    keys.map(({ workspaceId, day }) => withRows<DayRow>(db.d1.prepare(sql).bind(workspaceId, day)));
  const { before, after } = await batch(db, {
    before: forEachDay("SELECT * FROM post_days WHERE workspace_id = ?1 AND day = ?2"),
    after: forEachDay(RECOUNT),
  });
  return keys.map((key, index) => ({
    key,
    before: before[index]?.results[0] ?? null,
    after: after[index]?.results[0] ?? null,
  }));
}

const onDay = (posts: string): string =>
  `${posts}.workspace_id = ?1 AND ${posts}.scheduled_at >= ?2 * ${DAY_MS} AND ${posts}.scheduled_at < (?2 + 1) * ${DAY_MS}
   AND ${posts}.status ${LISTED_SQL}`;

/** SQL that writes a JSON object with sorted members, because their order depends on the trigger that wrote it. */
const normalized = (json: string): string =>
  `(SELECT group_concat(key || ':' || value) FROM (SELECT key, value FROM json_each(${json}) ORDER BY key))`;

const JSON_COLUMNS = ["slots", "platforms", "lateness", "times"] as const;

const differs = [
  "post_days.publishing <> 0",
  ...COUNTED_STATUSES.map((status) => `post_days.${status} <> excluded.${status}`),
  ...JSON_COLUMNS.map((name) => `${normalized(`post_days.${name}`)} IS NOT ${normalized(`excluded.${name}`)}`),
].join(" OR ");

const countOf = (status: ListedStatus): string =>
  `count(*) FILTER (WHERE p.status ${status === "scheduled" ? "IN ('scheduled', 'publishing')" : `= '${status}'`})`;

/**
 * SQL that computes the same figures as the triggers. `lateness` only rises: if a partly published post moves to
 * another day, its lateness stays with the first day, whose posts no longer show it.
 */
const RECOUNT = `INSERT INTO post_days (workspace_id, day, ${[...COUNTED_STATUSES, ...JSON_COLUMNS].join(", ")})
  SELECT ?1, ?2, ${COUNTED_STATUSES.map(countOf).join(", ")},
    (SELECT json_group_object(k, n) FROM (
      SELECT CAST(s.scheduled_at % ${DAY_MS} / 900000 AS TEXT) AS k, count(*) AS n FROM posts s
      WHERE ${onDay("s")} AND s.status IN ('scheduled', 'publishing', 'published') GROUP BY k)),
    (SELECT json_group_object(k, n) FROM (
      SELECT j.value AS k, count(*) AS n FROM posts s, json_each(s.platforms) j
      WHERE ${onDay("s")} AND s.status IN ('scheduled', 'publishing') GROUP BY k)),
    (SELECT json_group_object(k, n) FROM (SELECT k, max(n) AS n FROM (
      SELECT j.key AS k, j.value AS n FROM post_days d, json_each(d.lateness) j WHERE d.workspace_id = ?1 AND d.day = ?2
      UNION ALL
      SELECT CAST(iif(ms < 100, ms, iif(ms < 1000, ms / 10 * 10, iif(ms < 10000, ms / 100 * 100,
          iif(ms < 100000, ms / 1000 * 1000, ms / 10000 * 10000)))) AS TEXT) AS k, count(*) AS n
        FROM (SELECT max(0, coalesce(t.started_at, t.published_at) - t.due_at) AS ms
          FROM posts s JOIN post_targets t ON t.post_id = s.id AND t.state = 'published' AND t.due_at = s.scheduled_at
          WHERE ${onDay("s")} AND s.status IN ('published', 'partially_failed')) GROUP BY k
    ) GROUP BY k)),
    (SELECT json_group_object(k, n) FROM (
      SELECT series.value || part.value AS k, count(*) AS n FROM posts s
        CROSS JOIN json_each(json_array('all.', iif(s.status = 'publishing', 'scheduled', s.status) || '.')) series
        CROSS JOIN json_each(json_array('h' || (s.scheduled_at % ${DAY_MS} / 3600000), 'q' || (s.scheduled_at % ${DAY_MS} / 900000))) part
      WHERE ${onDay("s")} GROUP BY k))
  FROM posts p WHERE ${onDay("p")}
  ON CONFLICT (workspace_id, day) DO UPDATE SET publishing = 0,
    ${[...COUNTED_STATUSES, ...JSON_COLUMNS].map((name) => `${name} = excluded.${name}`).join(", ")}
  WHERE ${differs}
  RETURNING *`;
