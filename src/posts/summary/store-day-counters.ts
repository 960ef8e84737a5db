import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { type DayCounters, SLOT_MS } from "./schedule-statistics.ts";

interface DayColumns {
  readonly day: number;
  readonly scheduled: number;
  readonly publishing: number;
  readonly published: number;
  readonly partially_failed: number;
  readonly failed: number;
  readonly paused: number;
  readonly slots: string | null;
  readonly platforms: string;
  readonly lateness: string | null;
}

interface BoundaryColumns {
  readonly next_at: number | null;
  readonly scheduled: string;
  readonly publishing: string;
  readonly totals: string;
}

/** The sums of all days before `day`, or of `day` and all later days. */
export interface DayTotals extends Pick<DayCounters, "counts" | "platforms"> {
  readonly side: "before" | "from";
  readonly day: number;
}

/** A publishing post, which the counters count as scheduled. */
interface PublishingPost {
  readonly at: number;
  readonly platforms: readonly Platform[];
}

/**
 * What the day counters cannot tell: the next post, and scheduled posts in quarter hours that are only partly inside a
 * window.
 */
export interface ScheduleBoundaries {
  readonly nextPostAt: number | null;
  /** By window: the posts between its last whole quarter hour and its end. */
  readonly countsAfterLastSlot: readonly number[];
  /** The posts between now and the next quarter hour. */
  readonly countBeforeFirstSlot: number;
  readonly publishing: readonly PublishingPost[];
}

/** Reads the counters of a workspace, and the posts at the ends of the windows, in one round trip. */
export async function readDayCounters(
  db: Db,
  actor: Actor,
  window: { readonly now: number; readonly from: number; readonly until: number; readonly ends: readonly number[] },
): Promise<{
  readonly days: readonly DayCounters[];
  readonly totals: readonly DayTotals[];
  readonly boundaries: ScheduleBoundaries;
}> {
  const { now, from, until, ends } = window;
  const nextSlot = Math.ceil(now / SLOT_MS) * SLOT_MS;
  const ranges = [[now, nextSlot], ...ends.map((end) => [Math.floor(end / SLOT_MS) * SLOT_MS, end])];
  const { days, boundaries } = await batch(db, {
    days: dayCountersStatement(db, actor, { from, until }),
    boundaries: withRows<BoundaryColumns>(
      db.d1
        .prepare(
          `SELECT (SELECT p.scheduled_at FROM posts p WHERE p.workspace_id = ?1 AND p.status = 'scheduled' AND p.scheduled_at >= ?2
             ORDER BY p.scheduled_at LIMIT 1) AS next_at,
           (SELECT json_group_array((SELECT count(*) FROM posts p WHERE p.workspace_id = ?1 AND p.status = 'scheduled'
             AND p.scheduled_at >= r.value ->> 0 AND p.scheduled_at < r.value ->> 1)) FROM json_each(?3) r) AS scheduled,
           (SELECT json_group_array(json_object('at', p.scheduled_at, 'platforms', json(p.platforms))) FROM posts p
             WHERE p.workspace_id = ?1 AND p.status = 'publishing') AS publishing,
           (SELECT json_group_array(json_object('side', t.side, 'day', t.day, 'platforms', json(t.platforms), 'counts', json_object(
               'scheduled', t.scheduled, 'publishing', 0, 'published', t.published, 'partially_failed', t.partially_failed,
               'failed', t.failed, 'paused', t.paused))) FROM post_totals t WHERE t.workspace_id = ?1) AS totals`,
        )
        .bind(actor.workspaceId, now, JSON.stringify(ranges)),
    ),
  });
  const [boundaryRow] = boundaries.results;
  const [countBeforeFirstSlot = 0, ...countsAfterLastSlot] = JSON.parse(boundaryRow?.scheduled ?? "[]") as number[];
  const publishing = JSON.parse(boundaryRow?.publishing ?? "[]") as PublishingPost[];
  return {
    days: days.results.map(toDayCounters),
    totals: JSON.parse(boundaryRow?.totals ?? "[]") as DayTotals[],
    boundaries: { nextPostAt: boundaryRow?.next_at ?? null, countBeforeFirstSlot, countsAfterLastSlot, publishing },
  };
}

/** A statement that selects the days that are in no total, and the days of the window with their details. */
function dayCountersStatement(
  db: Db,
  actor: Actor,
  window: { readonly from: number; readonly until: number },
): Statement<DayColumns> {
  const dayOf = (side: string) => `(SELECT day FROM post_totals WHERE workspace_id = ?1 AND side = '${side}')`;
  return db.d1
    .prepare(
      `SELECT day, scheduled, publishing, published, partially_failed, failed, paused, platforms,
         iif(day BETWEEN ?2 AND ?3, slots, NULL) AS slots, iif(day BETWEEN ?2 AND ?3, lateness, NULL) AS lateness
       FROM post_days WHERE workspace_id = ?1
         AND day >= min(?2, coalesce(${dayOf("before")}, 0)) AND day < max(?3 + 1, coalesce(${dayOf("from")}, 9e15))`,
    )
    .bind(actor.workspaceId, Math.floor(window.from / DAY), Math.floor(window.until / DAY));
}

export function windowDaysStatement(
  db: Db,
  actor: Actor,
  window: { readonly from: number; readonly until: number },
): Statement<DayColumns> {
  return db.d1
    .prepare(
      `SELECT day, scheduled, publishing, published, partially_failed, failed, paused, platforms, slots, lateness
       FROM post_days WHERE workspace_id = ?1 AND day BETWEEN ?2 AND ?3`,
    )
    .bind(actor.workspaceId, Math.floor(window.from / DAY), Math.floor(window.until / DAY));
}

export function toDayCounters(row: DayColumns): DayCounters {
  const { day, scheduled, publishing, published, partially_failed, failed, paused } = row;
  return {
    day,
    counts: { scheduled, publishing, published, partially_failed, failed, paused },
    slots: row.slots === null ? {} : (JSON.parse(row.slots) as DayCounters["slots"]),
    platforms: JSON.parse(row.platforms) as DayCounters["platforms"],
    lateness: row.lateness === null ? {} : (JSON.parse(row.lateness) as DayCounters["lateness"]),
  };
}
