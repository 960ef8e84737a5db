import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import { slotTimes } from "./slot-times.ts";
import { selectFreeSlots } from "./store-slots.ts";
import type { ScheduleSlots } from "./types.ts";

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

/** Yields the free slots after `now` and up to `until`, the soonest first. It looks at `atOnce` slots first, then at twice as many each time. */
export async function* freeSlots(
  db: Db,
  actor: Pick<Actor, "workspaceId">,
  schedule: ScheduleSlots,
  {
    now,
    until,
    atOnce,
    posts = [],
  }: {
    readonly now: number;
    readonly until: number;
    readonly atOnce: number;
    /** The slots that these posts occupy count as free. */
    readonly posts?: readonly string[];
  },
): AsyncGenerator<number, void> {
  const times = slotTimes(schedule, { now, until });
  for (let round = atOnce; ; round *= 2) {
    const candidates = take(times, round);
    if (candidates.length > 0) {
      yield* await selectFreeSlots(db, actor, { times: candidates, posts });
    }
    if (candidates.length < round) {
      return;
    }
  }
}
