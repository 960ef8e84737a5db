import type { Context } from "#context.ts";

import { MAX_AHEAD_MS } from "#planning/checks/validate-schedule-time.ts";
import { freeSlots } from "./free-slots.ts";
import { getSlots } from "./get-slots.ts";
import type { NextSlots } from "./types.ts";

/** So many slots more than are asked for are looked at in the first round: some may be taken. */
const SPARE = 20;

/** The next slots of the active workspace that no post of it takes, after `after` or now, as far ahead as posts can be scheduled. */
export async function findNextSlots(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { count, after }: { readonly count: number; readonly after?: number },
): Promise<NextSlots> {
  const schedule = await getSlots(ctx);
  const now = ctx.clock.now();
  const next: number[] = [];
  const range = { now: Math.max(now, after ?? now), until: now + MAX_AHEAD_MS, atOnce: count + SPARE };
  for await (const at of freeSlots(ctx.db, ctx.actor, schedule, range)) {
    next.push(at);
    if (next.length === count) {
      break;
    }
  }
  return { ...schedule, next };
}
