import type { Actor } from "#core/actor.ts";
import { MINUTE } from "#core/clock.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { StoredSlot } from "#db/schema.ts";
import { postsByTimeSql } from "#posts/rows/store-posts-by-time.ts";
import { freeSlotsSql, type SlotsOfPosts } from "./store-free-slots.ts";
import type { ScheduleSlots } from "./types.ts";

interface SlotsRow {
  readonly time_zone: string;
  readonly slots: string;
}

type Owner = Pick<Actor, "userId" | "workspaceId">;

const OWN =
  "FROM schedule_slots s JOIN workspaces w ON w.id = s.workspace_id WHERE s.workspace_id = ?1 AND w.user_id = ?2";

const slotsStatement = (db: Db, { userId, workspaceId }: Owner) =>
  withRows<SlotsRow>(db.d1.prepare(`SELECT s.time_zone, s.slots ${OWN}`).bind(workspaceId, userId));

const toSlots = (row: SlotsRow | null | undefined): ScheduleSlots | null =>
  row ? { timeZone: row.time_zone, slots: JSON.parse(row.slots) as StoredSlot[] } : null;

/** Selects the slots of a workspace. Null until it has set some. */
export async function selectSlots(db: Db, owner: Owner): Promise<ScheduleSlots | null> {
  return toSlots(await slotsStatement(db, owner).first<SlotsRow>());
}

/** How many next posts one query reads: more than a year's posts at one a day. */
const MAX_POSTS = 500;

const POST_TIMES = `SELECT scheduled_at AS at FROM (${postsByTimeSql({
  where: `p.workspace_id = ?1 AND p.scheduled_at >= ?2 AND p.scheduled_at < ?3 AND p.id NOT IN (SELECT value FROM json_each(?4))`,
})} LIMIT ${MAX_POSTS})`;

/**
 * Selects the slots of a workspace and the times of its next posts, without cancelled ones. `readUntil` is the time up
 * to which posts were read.
 */
export async function selectSlotsAndPosts(
  db: Db,
  owner: Owner,
  { after, until, posts }: { readonly after: number; readonly until: number; readonly posts: readonly string[] },
): Promise<{
  readonly schedule: ScheduleSlots | null;
  readonly postTimes: readonly number[];
  readonly readUntil: number;
}> {
  const { slots, next } = await batch(db, {
    slots: slotsStatement(db, owner),
    next: withRows<{ readonly at: number }>(
      db.d1.prepare(POST_TIMES).bind(owner.workspaceId, after, until + MINUTE, JSON.stringify(posts)),
    ),
  });
  const postTimes = next.results.map(({ at }) => at);
  return {
    schedule: toSlots(slots.results[0]),
    postTimes,
    readUntil: postTimes.length < MAX_POSTS ? until : Math.min(until, postTimes.at(-1) ?? until),
  };
}

/** Replaces the slots of a workspace. Writes nothing if they are already the same. */
export async function replaceSlots(
  db: Db,
  { userId, workspaceId }: Owner,
  { timeZone, slots }: ScheduleSlots,
  now: number,
): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO schedule_slots AS s (workspace_id, time_zone, slots, updated_at)
       SELECT w.id, ?3, ?4, ?5 FROM workspaces w WHERE w.id = ?1 AND w.user_id = ?2
       ON CONFLICT (workspace_id) DO UPDATE SET time_zone = excluded.time_zone, slots = excluded.slots, updated_at = excluded.updated_at
       WHERE s.time_zone <> excluded.time_zone OR s.slots <> excluded.slots`,
    )
    .bind(workspaceId, userId, timeZone, JSON.stringify(slots), now)
    .run();
}

/** Selects those of `times` that are free. */
export async function selectFreeSlots(
  db: Db,
  { workspaceId }: Pick<Actor, "workspaceId">,
  slots: SlotsOfPosts,
): Promise<readonly number[]> {
  const { results } = await db.d1
    .prepare(`${freeSlotsSql("?1", "?2")} ORDER BY at`)
    .bind(workspaceId, JSON.stringify(slots))
    .all<{ readonly at: number }>();
  return results.map(({ at }) => at);
}
