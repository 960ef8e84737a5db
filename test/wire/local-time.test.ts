import { describe, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import { readLocalTime } from "#wire/local-time.ts";

const START = Date.parse("2027-01-01T00:00:00Z");
const END = Date.parse("2028-01-01T00:00:00Z");

/** What a clock with this offset shows, as text. */
const clockText = (instant: number, offset: number) => new Date(instant + offset).toISOString().slice(0, 16);

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The changes of the clocks in 2027, found by halving every step of two days whose ends differ. */
function changesOf(timeZone: string): Change[] {
  const changes: Change[] = [];
  let before = zoneOffsetAt(timeZone, START);
  for (let from = START; from < END; from += 2 * DAY) {
    const after = zoneOffsetAt(timeZone, from + 2 * DAY);
    if (after !== before) {
      let [low, high] = [from, from + 2 * DAY];
      while (high - low > MINUTE) {
        const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
        if (zoneOffsetAt(timeZone, middle) === before) {
          low = middle;
        } else {
          high = middle;
        }
      }
      changes.push({ at: high, before, after });
    }
    before = after;
  }
  return changes;
}

/** The instants at which the clock shows the text, found by looking at every offset that the zone has around the change. */
function expectedReading(timeZone: string, text: string, { before, after }: Change) {
  const asUtc = Date.parse(`${text}Z`);
  const instants = [...new Set([asUtc - before, asUtc - after])]
    .filter((instant) => clockText(instant, zoneOffsetAt(timeZone, instant)) === text)
    .toSorted((a, b) => a - b);
  return { instant: instants[0], count: instants.length };
}

describe("every change of the clocks in 2027, in every zone", () => {
  test("skipped times are refused with both neighbours, and repeated ones are the first, with a warning", ({
    expect,
  }) => {
    const wrong: string[] = [];
    const counts = { changes: 0, times: 0, skipped: 0, repeated: 0 };
    for (const timeZone of Intl.supportedValuesOf("timeZone")) {
      for (const change of changesOf(timeZone)) {
        counts.changes += 1;
        const [last, first] = [clockText(change.at - MINUTE, change.before), clockText(change.at, change.after)];
        // Around the change, on the clocks before and after it.
        const center = change.at + Math.min(change.before, change.after);
        for (let clock = center - HOUR; clock <= center + 3 * HOUR; clock += 15 * MINUTE) {
          const text = clockText(clock, 0);
          const expected = expectedReading(timeZone, text, change);
          const reading = readLocalTime(text, timeZone);
          counts.times += 1;
          counts.skipped += expected.count === 0 ? 1 : 0;
          counts.repeated += expected.count === 2 ? 1 : 0;
          const isRight =
            reading !== null &&
            ("problem" in reading
              ? expected.count === 0 &&
                reading.code === "local_time_does_not_exist" &&
                reading.problem.includes(`write ${first} or ${last},`)
              : expected.count > 0 &&
                reading.instant === expected.instant &&
                (reading.warning !== null) === (expected.count === 2));
          if (!isRight) {
            wrong.push(`${timeZone} ${text} ${JSON.stringify(reading)}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(counts.changes).toBeGreaterThan(200);
    expect(counts.skipped).toBeGreaterThan(200);
    expect(counts.repeated).toBeGreaterThan(200);
  });
});
