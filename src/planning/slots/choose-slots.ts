import type { Context } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { instant, naming } from "#core/message-parts.ts";
import type { RefusalDetail } from "#core/errors.ts";

import { MAX_AHEAD_MS } from "#planning/candidates/schedule-time.ts";
import { findFreeSlots } from "./free-slots.ts";

/** The time of a free slot, or why there is none. */
export type ChosenSlot =
  | { readonly at: number; readonly problem?: never }
  | { readonly at?: never; readonly problem: RefusalDetail };

/**
 * Chooses the first free slot at or after each time, never in the past and no slot twice. It reserves nothing. `taken`
 * are times of other posts of the request. The slots of `posts` count as free.
 */
export async function chooseSlots(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  times: readonly number[],
  { taken = [], posts = [] }: { readonly taken?: readonly number[]; readonly posts?: readonly string[] } = {},
): Promise<readonly ChosenSlot[]> {
  const now = ctx.clock.now();
  const until = now + MAX_AHEAD_MS;
  // Begin a millisecond earlier, so that a slot at exactly the earliest time is found.
  const after = Math.max(now, Math.min(...times) - 1);
  const { schedule, free } = await findFreeSlots(ctx, { after, until, posts });
  const read: number[] = [];
  const minutesTaken = new Set(taken.map((at) => Math.floor(at / MINUTE)));
  const choose = async (from: number): Promise<number | null> => {
    for (let index = 0; ; index += 1) {
      if (index === read.length) {
        const next = await free.next();
        if (next.done === true) {
          return null;
        }
        read.push(next.value);
      }
      const at = read[index] ?? from;
      if (at >= from && !minutesTaken.has(Math.floor(at / MINUTE))) {
        minutesTaken.add(Math.floor(at / MINUTE));
        return at;
      }
    }
  };
  const chosen: ChosenSlot[] = [];
  for (const from of times) {
    // Choose one after the other, so that no two posts get the same slot.
    // oxlint-disable-next-line no-await-in-loop
    const at = await choose(from);
    chosen.push(at === null ? { problem: noFreeSlot(schedule.slots.length > 0, until) } : { at });
  }
  return chosen;
}

function noFreeSlot(hasSlots: boolean, until: number): RefusalDetail {
  return {
    code: "no_free_slot",
    ...(hasSlots
      ? naming`no slot is free from then until ${instant(until)}, as far ahead as posts can be scheduled`
      : { message: "the workspace has no slots: set them first" }),
    param: "slot",
  };
}
