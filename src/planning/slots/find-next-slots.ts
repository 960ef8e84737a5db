import type { Context } from "#context.ts";

import { MAX_AHEAD_MS } from "#planning/candidates/schedule-time.ts";
import { findFreeSlots } from "./free-slots.ts";
import type { NextSlots } from "./types.ts";

/**
 * Finds the next free slots of the active workspace after `after`, or after now. It looks as far ahead as posts can be
 * scheduled.
 */
export async function findNextSlots(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { count, after }: { readonly count: number; readonly after?: number },
): Promise<NextSlots> {
  const now = ctx.clock.now();
  const range = { after: Math.max(now, after ?? now), until: now + MAX_AHEAD_MS };
  const { schedule, free } = await findFreeSlots(ctx, range);
  const next: number[] = [];
  for await (const at of free) {
    next.push(at);
    if (next.length === count) {
      break;
    }
  }
  return { ...schedule, next };
}
