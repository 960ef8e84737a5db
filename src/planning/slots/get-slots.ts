import type { Context } from "#context.ts";

import type { ScheduleSlots } from "./types.ts";
import { selectSlots } from "./store-slots.ts";

/** Reads the slots of the active workspace. Until some are set, there are none, in the user's time zone. */
export async function getSlots(ctx: Pick<Context, "actor" | "db">): Promise<ScheduleSlots> {
  const stored = await selectSlots(ctx.db, ctx.actor);
  return stored ?? { timeZone: ctx.actor.timeZone, slots: [] };
}
