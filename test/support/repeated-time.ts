import { DAY } from "#core/clock.ts";
import { addDays, instantsOf, toTimeOfDay, wallTimeAt } from "#core/wall-time.ts";

/** Times at which the clocks of a zone are moved back; the zones do it on different days, so that one is always ahead. */
const CANDIDATES = [
  { timeZone: "Europe/Berlin", minute: 150 },
  { timeZone: "America/New_York", minute: 90 },
];

/** A time within the next year that comes twice, as a clock shows it and as its two instants. */
export function nextRepeatedTime() {
  for (const { timeZone, minute } of CANDIDATES) {
    const { date: today } = wallTimeAt(timeZone, Date.now());
    for (let days = 2; days * DAY < 363 * DAY; days += 1) {
      const date = addDays(today, days);
      const [first = 0, second] = instantsOf(timeZone, { date, minute });
      if (second !== undefined) {
        return {
          timeZone,
          wall: `${date}T${toTimeOfDay(minute)}`,
          first: new Date(first).toISOString(),
          second: new Date(second).toISOString(),
        };
      }
    }
  }
  throw new Error("no zone moves its clocks back any more");
}
