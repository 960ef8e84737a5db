import type { Context } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { slotTimes } from "./slot-times.ts";
import { selectFreeSlots, selectSlotsAndPosts } from "./store-slots.ts";
import type { ScheduleSlots } from "./types.ts";

interface SlotRange {
  /** Slots are searched after this time (ms), up to `until`. */
  readonly after: number;
  readonly until: number;
  /** The ids of posts whose slots count as free. */
  readonly posts?: readonly string[];
}

/**
 * How many slots the first query examines if the next posts do not decide. Each further query examines twice as many.
 */
const FIRST_ROUND = 30;

const minuteOf = (at: number): number => Math.floor(at / MINUTE);

function take(times: Iterator<number>, count: number): number[] {
  const taken: number[] = [];
  for (let next = times.next(); next.done !== true; next = times.next()) {
    taken.push(next.value);
    if (taken.length === count) {
      break;
    }
  }
  return taken;
}

/**
 * Reads the slots of the active workspace. `free` returns the free ones, the soonest first. Usually this is the only
 * query.
 */
export async function findFreeSlots(
  ctx: Pick<Context, "actor" | "db">,
  range: SlotRange,
): Promise<{ readonly schedule: ScheduleSlots; readonly free: AsyncGenerator<number, void> }> {
  const { after, until, posts = [] } = range;
  const read = await selectSlotsAndPosts(ctx.db, ctx.actor, { after, until, posts });
  const schedule = read.schedule ?? { timeZone: ctx.actor.timeZone, slots: [] };
  return { schedule, free: freeSlots(ctx, schedule, range, read) };
}

async function* freeSlots(
  { actor, db }: Pick<Context, "actor" | "db">,
  schedule: ScheduleSlots,
  { after, until, posts = [] }: SlotRange,
  { postTimes, readUntil }: { readonly postTimes: readonly number[]; readonly readUntil: number },
): AsyncGenerator<number, void> {
  const taken = new Set(postTimes.map(minuteOf));
  for (const at of slotTimes(schedule, { now: after, until: readUntil })) {
    if (!taken.has(minuteOf(at))) {
      yield at;
    }
  }
  const times = slotTimes(schedule, { now: readUntil, until });
  for (let round = FIRST_ROUND; ; round *= 2) {
    const candidates = take(times, round);
    if (candidates.length > 0) {
      yield* await selectFreeSlots(db, actor, { times: candidates, posts });
    }
    if (candidates.length < round) {
      return;
    }
  }
}
