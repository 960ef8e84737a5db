import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import type { Db } from "#db/client.ts";
import { type DayRow, SLOT } from "./schedule-statistics.ts";

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

interface EdgeColumns {
  readonly next_at: number | null;
  readonly scheduled: string;
}

/** What is not in the day counters: the next post, and scheduled posts within the quarter hours that a window cuts. */
export interface Edges {
  readonly nextPostAt: number | null;
  /** By the end of each window: posts between the end of the last whole quarter hour before it and the end itself. */
  readonly tails: readonly number[];
  /** Posts between now and the next quarter hour. */
  readonly head: number;
}

/** The counters of the workspace and a few posts by index, in one round trip. */
export async function readSchedule(
  db: Db,
  actor: Actor,
  window: { readonly now: number; readonly from: number; readonly until: number; readonly ends: readonly number[] },
): Promise<{ readonly days: readonly DayRow[]; readonly edges: Edges }> {
  const { now, from, until, ends } = window;
  const nextSlot = Math.ceil(now / SLOT) * SLOT;
  const ranges = [[now, nextSlot], ...ends.map((end) => [Math.floor(end / SLOT) * SLOT, end])];
  const [days, edges] = await db.d1.batch<DayColumns & EdgeColumns>([
    db.d1
      .prepare(
        `SELECT day, scheduled, publishing, published, partially_failed, failed, paused, platforms,
           iif(day BETWEEN ?2 AND ?3, slots, NULL) AS slots, iif(day BETWEEN ?2 AND ?3, lateness, NULL) AS lateness
         FROM post_days WHERE workspace_id = ?1`,
      )
      .bind(actor.workspaceId, Math.floor(from / DAY), Math.floor(until / DAY)),
    db.d1
      .prepare(
        `SELECT (SELECT p.scheduled_at FROM posts p WHERE p.workspace_id = ?1 AND p.status = 'scheduled' AND p.scheduled_at >= ?2
             ORDER BY p.scheduled_at LIMIT 1) AS next_at,
           (SELECT json_group_array((SELECT count(*) FROM posts p WHERE p.workspace_id = ?1 AND p.status = 'scheduled'
             AND p.scheduled_at >= r.value ->> 0 AND p.scheduled_at < r.value ->> 1)) FROM json_each(?3) r) AS scheduled`,
      )
      .bind(actor.workspaceId, now, JSON.stringify(ranges)),
  ]);
  const edge = edges?.results[0];
  const [head = 0, ...tails] = JSON.parse(edge?.scheduled ?? "[]") as number[];
  return {
    days: (days?.results ?? []).map(toDay),
    edges: { nextPostAt: edge?.next_at ?? null, head, tails },
  };
}

function toDay(row: DayColumns): DayRow {
  const { day, scheduled, publishing, published, partially_failed, failed, paused } = row;
  return {
    day,
    counts: { scheduled, publishing, published, partially_failed, failed, paused },
    slots: row.slots === null ? {} : (JSON.parse(row.slots) as DayRow["slots"]),
    platforms: JSON.parse(row.platforms) as DayRow["platforms"],
    lateness: row.lateness === null ? {} : (JSON.parse(row.lateness) as DayRow["lateness"]),
  };
}
