import { MINUTE, toIsoInstant } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { addDays, instantsOf, neighboursOfSkipped, toTimeOfDay, wallTimeAt } from "#core/wall-time.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { ClockMove } from "#planning/plan/types.ts";

interface MovedTime {
  readonly at: number;
  readonly problems: readonly RefusalDetail[];
  readonly warning?: ValidationWarning | undefined;
}

/**
 * Moves an instant by days or to a time of day, on the clock of a zone. Seconds stay. If the wall time stays the same,
 * so does the instant.
 */
export function moveOnClock(from: number, { days, minute, timeZone }: ClockMove, param: string): MovedTime {
  const before = wallTimeAt(timeZone, from);
  const wall = { date: addDays(before.date, days), minute: minute ?? before.minute };
  if (days === 0 && wall.minute === before.minute) {
    return { at: from, problems: [] };
  }
  const [first, second] = instantsOf(timeZone, wall);
  const local = `${wall.date}T${toTimeOfDay(wall.minute)}`;
  if (first === undefined) {
    const after = neighboursOfSkipped(timeZone, wall)?.after;
    const message = `${local} does not exist in ${timeZone}: the clock is moved forward over it${after ? `, to ${toTimeOfDay(after.minute)}` : ""}`;
    return { at: from, problems: [{ code: "local_time_does_not_exist", message, param }] };
  }
  const warning =
    second === undefined
      ? undefined
      : ({
          code: "local_time_ambiguous",
          message: `${local} occurs twice in ${timeZone}: this is the first, ${toIsoInstant(first)}`,
        } as const);
  return { at: first + (from % MINUTE), problems: [], warning };
}
