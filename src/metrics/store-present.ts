import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { HeldReason } from "#db/schema.ts";
import { NEXT_DUE_AT_SQL } from "#arming/store-next-due-at.ts";
import type { Counter, LatenessBuckets } from "./outcomes.ts";

/** Counting stops at this number, which the page then shows with "or more". */
export const MAX_COUNTED = 5000;

const OVERDUE_AFTER_MS = MINUTE;
/** How far ahead (ms) the reconciler moves the `watch_at` of a post that it has armed again. */
const REARMED_MS = MINUTE;

/**
 * SQL that counts scheduled posts which are more than a minute overdue. Their `watch_at` has passed, or the reconciler
 * has just moved it. So a range of the index `posts_watch` contains them.
 */
const OVERDUE = `(SELECT count(*) FROM (SELECT id, status, scheduled_at FROM posts WHERE watch_at <= ?1 ORDER BY watch_at LIMIT ${MAX_COUNTED}) posts
  WHERE status = 'scheduled' AND scheduled_at < ?2 AND ${NEXT_DUE_AT_SQL} < ?2)`;

/** A counter with the hours to add up. Each hour costs one row, however many other counters it has. */
export interface CounterSum {
  readonly metric: string;
  readonly label: string;
  readonly sinceHour: number;
}

const SUMS = `(SELECT json_group_array((SELECT coalesce(sum(s.count), 0) FROM json_each(c.value ->> 'hours') h
    CROSS JOIN service_hours s ON s.hour = h.value AND s.metric = c.value ->> 'metric' AND s.label = c.value ->> 'label'))
  FROM json_each(?3) c)`;

export interface ServiceState {
  readonly beat: number;
  readonly held: HeldReason | null;
  readonly overdue: number;
  /** The sums as a JSON array, in the order in which they were requested. */
  readonly sums: string;
}

/**
 * A statement that reads the present state of the service. The result's metadata also contain the size of the database.
 */
export function serviceStatement(db: Db, now: number, sums: readonly CounterSum[]): Statement<ServiceState> {
  const until = hourOf(now);
  const counted = sums.map(({ metric, label, sinceHour }) => ({
    metric,
    label,
    hours: Array.from({ length: until - sinceHour + 1 }, (_, index) => sinceHour + index),
  }));
  return db.d1
    .prepare(`SELECT beat, held, ${OVERDUE} AS overdue, ${SUMS} AS sums FROM service`)
    .bind(now + REARMED_MS, now - OVERDUE_AFTER_MS, JSON.stringify(counted));
}

/**
 * A statement that counts targets which wait until the operator solves a problem, among posts that are due soon or have
 * not ended.
 */
export function waitingForOperatorStatement(db: Db): Statement<Counter> {
  return db.d1.prepare(
    `SELECT 'operator_fault' AS metric, t.platform || '.' || (t.error ->> '$.code') AS label, count(*) AS count, 0 AS sum
     FROM service_progress s, json_each(s.noted) e CROSS JOIN post_targets t ON t.post_id = e.value ->> 0
     WHERE t.state = 'retry_wait' AND t.error ->> '$.whoMustAct' = 'operator' GROUP BY 2`,
  );
}

export function hoursStatement(db: Db, hour: number): Statement<HourRow> {
  return db.d1
    .prepare("SELECT hour, metric, label, count, sum, buckets FROM service_hours WHERE hour >= ?1 ORDER BY hour")
    .bind(hour);
}

export interface HourRow extends Counter {
  readonly hour: number;
  readonly buckets: string;
}

/** A statement that selects the counters from `hour` on, added up by UTC day. */
export function daysStatement(db: Db, hour: number): Statement<DayRow> {
  return db.d1
    .prepare(
      `SELECT hour / 24 AS day, metric, label, sum(count) AS count, sum(sum) AS sum FROM service_hours WHERE hour >= ?1 GROUP BY 1, 2, 3 ORDER BY 1`,
    )
    .bind(hour);
}

export interface DayRow extends Counter {
  readonly day: number;
}

/** A statement that selects how many targets had each lateness (ms), by UTC day. */
export function latenessStatement(db: Db, hour: number): Statement<LatenessRow> {
  return db.d1
    .prepare(
      `SELECT s.hour / 24 AS day, CAST(j.key AS INTEGER) AS ms, sum(j.value) AS count FROM service_hours s, json_each(s.buckets) j
       WHERE s.hour >= ?1 AND s.metric = 'lateness' GROUP BY 1, 2`,
    )
    .bind(hour);
}

export interface LatenessRow {
  readonly day: number;
  readonly ms: number;
  readonly count: number;
}

/** A statement that counts open notices of all workspaces by kind, among a limited number of the newest. */
export function openNoticesStatement(db: Db, now: number): Statement<{ readonly kind: string; readonly n: number }> {
  return db.d1
    .prepare(
      `SELECT kind, count(*) AS n FROM (SELECT kind, dismissed_at FROM notices WHERE at > ?1 ORDER BY at DESC LIMIT ${MAX_COUNTED})
       WHERE kind IN ('post_unconfirmed', 'account_needs_reconnect', 'webhook_disabled') GROUP BY kind`,
    )
    .bind(now - 30 * DAY);
}

export function bucketsOf(rows: readonly HourRow[]): LatenessBuckets {
  const buckets = new Map<number, number>();
  for (const { buckets: text } of rows.filter(({ metric }) => metric === "lateness")) {
    for (const [ms, count] of Object.entries(JSON.parse(text) as Record<string, number>)) {
      buckets.set(Number(ms), (buckets.get(Number(ms)) ?? 0) + count);
    }
  }
  return buckets;
}

/** The hour that contains an instant, as a number since 1970. */
export function hourOf(instant: number): number {
  return Math.floor(instant / HOUR);
}
