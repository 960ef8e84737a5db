import type { Context } from "#context.ts";

import { MAX_AHEAD_MS } from "#planning/candidates/schedule-time.ts";
import { freeSlots } from "./free-slots.ts";
import { getSlots } from "./get-slots.ts";
import type { NextSlots } from "./types.ts";

/** How many more slots than requested the first round looks at, because some may be taken. */
const SPARE = 20;

/** Finds the next free slots of the active workspace after `after`, or after now, as far ahead as posts can be scheduled. */
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
