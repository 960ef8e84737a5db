import type { Context } from "#context.ts";

import type { ScheduleSlot, ScheduleSlots } from "./types.ts";
import { replaceSlots } from "./store-slots.ts";

const keyOf = ({ weekday, time }: ScheduleSlot) => `${weekday} ${time}`;

/** Replaces the slots of the active workspace. A repeated slot counts once. Scheduled posts keep their times. */
export async function setSlots(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { timeZone, slots }: ScheduleSlots,
): Promise<ScheduleSlots> {
  const byKey = new Map(slots.map(({ weekday, time }) => [keyOf({ weekday, time }), { weekday, time }]));
  const set = {
    timeZone,
    slots: [...byKey.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  };
  await replaceSlots(ctx.db, ctx.actor, set, ctx.clock.now());
  return set;
}
