import { addDays, instantsOf, neighboursOfSkipped, parseTimeOfDay, wallTimeAt, weekdayOf } from "#core/wall-time.ts";
import type { CalendarDate } from "#core/wall-time.ts";
import type { ScheduleSlots } from "./types.ts";

/**
 * The first instant at which a clock shows the slot's time. If a clock change skips this time, the first minute after
 * the change.
 */
function slotInstant(timeZone: string, date: CalendarDate, minute: number): number {
  const wall = { date, minute };
  const skipped = neighboursOfSkipped(timeZone, wall);
  const [first] = instantsOf(timeZone, skipped === null ? wall : skipped.after);
  if (first === undefined) {
    throw new Error(`${date} has no minute ${minute} in ${timeZone}, nor one after it`);
  }
  return first;
}

/** The instants of the slots after `now` up to `until`, in order and without repetition. */
export function* slotTimes(
  { timeZone, slots }: ScheduleSlots,
  { now, until }: { readonly now: number; readonly until: number },
): Generator<number> {
  const last = wallTimeAt(timeZone, until).date;
  let previous = now;
  for (let date = wallTimeAt(timeZone, now).date; date <= last; date = addDays(date, 1)) {
    const weekday = weekdayOf(date);
    for (const slot of slots.filter((candidate) => candidate.weekday === weekday)) {
      const instant = slotInstant(timeZone, date, parseTimeOfDay(slot.time) ?? 0);
      if (instant > until) {
        return;
      }
      // Two slots in an hour that the clock skips fall on the same minute, so return only one.
      if (instant > previous) {
        previous = instant;
        yield instant;
      }
    }
  }
}
