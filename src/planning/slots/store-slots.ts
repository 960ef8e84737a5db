import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import type { StoredSlot } from "#db/schema.ts";
import { freeSlotsSql, type SlotsOfPosts } from "./store-free-slots.ts";
import type { ScheduleSlots } from "./types.ts";

interface SlotsRow {
  readonly time_zone: string;
  readonly slots: string;
}

type Owner = Pick<Actor, "userId" | "workspaceId">;

const OWN =
  "FROM schedule_slots s JOIN workspaces w ON w.id = s.workspace_id WHERE s.workspace_id = ?1 AND w.user_id = ?2";

/** Null until the workspace has set slots. */
export async function selectSlots(db: Db, { userId, workspaceId }: Owner): Promise<ScheduleSlots | null> {
  const row = await db.d1.prepare(`SELECT s.time_zone, s.slots ${OWN}`).bind(workspaceId, userId).first<SlotsRow>();
  return row && { timeZone: row.time_zone, slots: JSON.parse(row.slots) as StoredSlot[] };
}

/** Writes nothing when the slots are the same already. */
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

/** Selects the free ones among `times`. */
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
