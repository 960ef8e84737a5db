import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { Db } from "#db/client.ts";

/* Counts the results of posts. An index of ended posts would cost a row for each post. Instead, a list in
   `service_progress` contains the posts that are due soon, and each run looks them up until they have ended. All
   statements are one batch: a killed run has counted everything or nothing, and a parallel run finds nothing left. */

/**
 * How long (ms) before its due time a post gets into the list. A few failed cron runs then miss no post. The trigger
 * `post_brought_forward` has the same value.
 */
const NOTED_AHEAD_MS = 10 * MINUTE;
const MAX_NOTED = 10_000;
const MAX_NEW_POSTS = 5000;
/** A restored or copied database may give its posts new numbers. Posts older than this (ms) are already counted. */
const NEW_POST_MS = HOUR;
/**
 * How long (ms) a post stays in the list, because a retry may wait a day. A post that is moved further away gets into
 * the list again when it is due.
 */
const KEPT_MS = 2 * DAY;
/** How long (ms) after its time a notice may be written, so that counting waits. */
const NOTICE_DELAY_MS = 10 * SECOND;

const OPEN = "('scheduled', 'publishing')";

/**
 * Adds posts to the list of posts to count: those due soon, those that a change brought forward, and those created and
 * ended since the last run.
 */
function noteStatement(db: Db, now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `UPDATE service_progress SET noted = n.noted, posts_to = n.posts_to FROM (
         SELECT c.posts_to AS posts_to, (
           SELECT json_group_array(json_array(id, since)) FROM (
             SELECT id, min(since) AS since FROM (
               SELECT e.value ->> 0 AS id, e.value ->> 1 AS since FROM service_progress s, json_each(s.noted) e
               UNION ALL SELECT post_id, at FROM brought_forward
               UNION ALL SELECT id, updated_at FROM (SELECT id, updated_at FROM posts WHERE watch_at <= ?1 ORDER BY watch_at LIMIT ${MAX_NOTED})
               UNION ALL SELECT id, created_at FROM posts WHERE rowid > (SELECT posts_to FROM service_progress) AND rowid <= c.posts_to
                 AND status NOT IN ${OPEN} AND created_at > ?2
             ) GROUP BY id ORDER BY id LIMIT ${MAX_NOTED})) AS noted
         FROM (SELECT min(coalesce((SELECT max(rowid) FROM posts), 0), posts_to + ${MAX_NEW_POSTS}) AS posts_to FROM service_progress) c
       ) n WHERE service_progress.noted <> n.noted OR service_progress.posts_to <> n.posts_to`,
    )
    .bind(now + NOTED_AHEAD_MS, now - NEW_POST_MS);
}

/**
 * SQL: outcomes of a try that failed and was followed by another try. Waiting for the platform's processing is none.
 */
const TRIED_AGAIN = "('rate_limited', 'temporary', 'absent')";

/**
 * SQL for targets that ended after their post got into the list. Targets that an earlier run published ended before
 * that.
 */
const ENDED = `ended AS (
  SELECT t.updated_at / ${HOUR} AS hour, t.platform AS platform, t.state AS state, t.error ->> '$.code' AS code,
    t.error ->> '$.whoMustAct' AS who, t.effective_caption LIKE '%://%' AS has_link,
    max(0, coalesce(t.started_at, t.published_at) - t.due_at) AS late_ms,
    (SELECT count(*) FROM json_each(t.history) h WHERE h.value ->> 'outcome' IN ${TRIED_AGAIN} AND h.value ->> 'nextAttemptAt' IS NOT NULL
      AND h.value ->> 'at' >= e.value ->> 1) AS retries
  FROM service_progress s, json_each(s.noted) e CROSS JOIN posts p ON p.id = e.value ->> 0 CROSS JOIN post_targets t ON t.post_id = p.id
  WHERE p.status NOT IN ${OPEN} AND t.state IN ('published', 'failed', 'unconfirmed') AND t.updated_at >= e.value ->> 1)`;

/** SQL that rounds a lateness to two significant digits, as in `post_days`. */
const BUCKET = `CAST(iif(late_ms < 100, late_ms, iif(late_ms < 1000, late_ms / 10 * 10, iif(late_ms < 10000, late_ms / 100 * 100,
  iif(late_ms < 100000, late_ms / 1000 * 1000, late_ms / 10000 * 10000)))) AS TEXT)`;

function countEndedStatement(db: Db): D1PreparedStatement {
  return db.d1.prepare(
    `WITH ${ENDED}
     INSERT INTO service_hours (hour, metric, label, count, sum, buckets)
     SELECT hour, metric, label, n, total, buckets FROM (
       SELECT hour, 'outcome' AS metric, platform || '.' || state || coalesce('.' || code, '') AS label, count(*) AS n, sum(has_link) AS total,
         '{}' AS buckets FROM ended GROUP BY 1, 3
       UNION ALL SELECT hour, 'lateness', platform, sum(n), sum(total), json_group_object(bucket, n) FROM (
         SELECT hour, platform, ${BUCKET} AS bucket, count(*) AS n, sum(late_ms) AS total FROM ended
         WHERE state = 'published' GROUP BY 1, 2, 3) GROUP BY 1, 3
       UNION ALL SELECT hour, 'retries', platform, sum(retries), 0, '{}' FROM ended GROUP BY 1, 3 HAVING sum(retries) > 0
       UNION ALL SELECT hour, 'operator_fault', platform || '.' || code, count(*), 0, '{}' FROM ended WHERE who = 'operator' GROUP BY 1, 3
     ) WHERE true
     ${ADD}`,
  );
}

/** SQL that adds to a counter which already exists. */
const ADD = `ON CONFLICT (hour, metric, label) DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum,
  buckets = json_patch(service_hours.buckets, (SELECT json_group_object(j.key, j.value + coalesce(service_hours.buckets ->> ('$."' || j.key || '"'), 0))
    FROM json_each(excluded.buckets) j))`;

/** Removes posts from the list that are counted, or that are due much later. */
function dropStatement(db: Db, now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `UPDATE service_progress SET noted = n.noted FROM (
         SELECT json_group_array(json_array(e.value ->> 0, e.value ->> 1)) AS noted
         FROM service_progress s, json_each(s.noted) e CROSS JOIN posts p ON p.id = e.value ->> 0
         WHERE p.status IN ${OPEN} AND p.watch_at <= ?1
       ) n WHERE service_progress.noted <> n.noted`,
    )
    .bind(now + KEPT_MS);
}

const COUNTED_NOTICES = "('account_needs_reconnect', 'webhook_disabled')";

/** Counts ended logins and disabled webhooks. It reads a range of the index `notices_age`. */
function noticeStatements(db: Db, now: number): D1PreparedStatement[] {
  const isNew = "n.at > (SELECT notices_to FROM service_progress) AND n.at <= ?1";
  return [
    db.d1
      .prepare(
        `INSERT INTO service_hours (hour, metric, label, count)
         SELECT n.at / ${HOUR}, 'notice', n.kind, count(*) FROM notices n WHERE ${isNew} AND n.kind IN ${COUNTED_NOTICES} GROUP BY 1, 3
         ${ADD}`,
      )
      .bind(now - NOTICE_DELAY_MS),
    db.d1
      .prepare(
        `UPDATE service_progress SET notices_to = n.at FROM (SELECT max(n.at) AS at FROM notices n WHERE ${isNew}) n WHERE n.at IS NOT NULL`,
      )
      .bind(now - NOTICE_DELAY_MS),
  ];
}

/** Copies the previews of this hour and the last one as whole numbers, so that a repeated run does no harm. */
function previewsStatement(db: Db, now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO service_hours (hour, metric, label, count)
       SELECT hour, 'previews', '', sum(used) FROM hourly_use WHERE hour >= ?1 AND name = 'previews' GROUP BY hour
       ON CONFLICT (hour, metric, label) DO UPDATE SET count = excluded.count WHERE excluded.count > count`,
    )
    .bind(Math.floor(now / HOUR) - 1);
}

/**
 * The hours of days this long ago become one row each, because no page shows them by hour. A day that every run misses
 * keeps its hours.
 */
const MERGED_DAYS_AGO = [2, 3];

const firstHourOf = (now: number, daysAgo: number): number => (Math.floor(now / DAY) - daysAgo) * (DAY / HOUR);

/** Adds the hours of a day to its first hour, so that thirty days take few rows. Two statements of one batch. */
function mergeDayStatements(db: Db, firstHour: number): D1PreparedStatement[] {
  const ofDay = (table: string) => `${table}.hour > ?1 AND ${table}.hour < ?1 + 24`;
  return [
    db.d1
      .prepare(
        `INSERT INTO service_hours (hour, metric, label, count, sum, buckets)
         SELECT ?1, s.metric, s.label, sum(s.count), sum(s.sum), (
           SELECT json_group_object(ms, n) FROM (
             SELECT j.key AS ms, sum(j.value) AS n FROM service_hours h, json_each(h.buckets) j
             WHERE ${ofDay("h")} AND h.metric = s.metric AND h.label = s.label GROUP BY 1))
         FROM service_hours s WHERE ${ofDay("s")} GROUP BY s.metric, s.label ${ADD}`,
      )
      .bind(firstHour),
    db.d1.prepare(`DELETE FROM service_hours WHERE ${ofDay("service_hours")}`).bind(firstHour),
  ];
}

interface Waiting {
  readonly posts: 0 | 1;
  readonly notices: 0 | 1;
  readonly previews: 0 | 1;
  readonly expired: 0 | 1;
  /** The first hours of the days to merge, as a JSON array. */
  readonly days: string;
}

/** Reads whether there is something to count or delete. A minute without any costs only this query. */
async function readWaiting(db: Db, now: number, expiredHour: number): Promise<Waiting | null> {
  return await db.d1
    .prepare(
      `SELECT s.noted <> '[]' OR s.posts_to <> coalesce((SELECT max(rowid) FROM posts), 0) OR EXISTS (SELECT 1 FROM brought_forward)
           OR EXISTS (SELECT 1 FROM posts WHERE watch_at <= ?1) AS posts,
         EXISTS (SELECT 1 FROM notices n WHERE n.at > s.notices_to AND n.at <= ?2) AS notices,
         EXISTS (SELECT 1 FROM hourly_use WHERE hour >= ?3 AND name = 'previews') AS previews,
         EXISTS (SELECT 1 FROM service_hours WHERE hour < ?4) AS expired,
         (SELECT json_group_array(d.value) FROM json_each(?5) d
          WHERE EXISTS (SELECT 1 FROM service_hours h WHERE h.hour > d.value AND h.hour < d.value + 24)) AS days
       FROM service_progress s`,
    )
    .bind(
      now + NOTED_AHEAD_MS,
      now - NOTICE_DELAY_MS,
      Math.floor(now / HOUR) - 1,
      expiredHour,
      JSON.stringify(MERGED_DAYS_AGO.map((daysAgo) => firstHourOf(now, daysAgo))),
    )
    .first<Waiting>();
}

/**
 * Counts what has happened since the last call, and deletes a limited number of old counters. Writes nothing if there
 * is nothing to do.
 */
export async function countHappenings(
  db: Db,
  { now, expiredHour, limit }: { readonly now: number; readonly expiredHour: number; readonly limit: number },
): Promise<void> {
  const waiting = await readWaiting(db, now, expiredHour);
  const statements = [
    ...(waiting?.posts === 1
      ? [
          noteStatement(db, now),
          db.d1.prepare("DELETE FROM brought_forward"),
          countEndedStatement(db),
          dropStatement(db, now),
        ]
      : []),
    ...(waiting?.notices === 1 ? noticeStatements(db, now) : []),
    ...(waiting?.previews === 1 ? [previewsStatement(db, now)] : []),
    ...(JSON.parse(waiting?.days ?? "[]") as number[]).flatMap((firstHour) => mergeDayStatements(db, firstHour)),
    ...(waiting?.expired === 1 ? [deleteHoursStatement(db, expiredHour, limit)] : []),
  ];
  if (statements.length > 0) {
    await db.d1.batch(statements);
  }
}

export async function addToHour(
  db: Db,
  hour: number,
  counts: readonly { readonly metric: string; readonly label: string; readonly count: number }[],
): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO service_hours (hour, metric, label, count)
       SELECT ?1, c.value ->> 'metric', c.value ->> 'label', c.value ->> 'count' FROM json_each(?2) c WHERE true ${ADD}`,
    )
    .bind(hour, JSON.stringify(counts))
    .run();
}

function deleteHoursStatement(db: Db, hour: number, limit: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM service_hours WHERE (hour, metric, label) IN (SELECT hour, metric, label FROM service_hours WHERE hour < ?1 LIMIT ?2)`,
    )
    .bind(hour, limit);
}
