import { describe, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import { instantsOf, parseDate, parseTimeOfDay, toTimeOfDay, wallTimeAt } from "#core/wall-time.ts";
import { slotTimes } from "#planning/slots/slot-times.ts";

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

function timesOf(timeZone: string, times: readonly string[], from: string, days: number): string[] {
  const now = Date.parse(from);
  const slots = EVERY_DAY.flatMap((weekday) => times.map((time) => ({ weekday, time })));
  return [...slotTimes({ timeZone, slots }, { now, until: now + days * DAY })].map((at) => new Date(at).toISOString());
}

const STEP = 15 * MINUTE;

/** When a clock of the zone first shows what it shows at each quarter of an hour of three days from midnight UTC. */
function clockOf(timeZone: string, from: number): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (let at = from; at < from + 3 * DAY; at += STEP) {
    const { date, minute } = wallTimeAt(timeZone, at);
    const shows = `${date} ${toTimeOfDay(minute)}`;
    first.set(shows, first.get(shows) ?? at);
  }
  return first;
}

/** The days of 2027 on which zones change their clocks, each change once for all zones that make it. */
function changesOf2027() {
  const start = Date.parse("2027-01-01T00:00:00Z");
  const changes = new Map<string, { readonly timeZone: string; readonly from: number }>();
  for (const timeZone of Intl.supportedValuesOf("timeZone")) {
    const offsetsDiffer = (from: number, days: number) =>
      zoneOffsetAt(timeZone, from) !== zoneOffsetAt(timeZone, from + days * DAY);
    const weeks = Array.from({ length: 52 }, (_, index) => start + index * 7 * DAY);
    const days = weeks
      .filter((week) => offsetsDiffer(week, 7))
      .flatMap((week) => [0, 1, 2, 3, 4, 5, 6].map((day) => week + day * DAY));
    for (const day of days) {
      const [before, after] = [zoneOffsetAt(timeZone, day), zoneOffsetAt(timeZone, day + DAY)];
      if (before !== after) {
        const halfDay = zoneOffsetAt(timeZone, day + DAY / 2);
        changes.set(`${day} ${before} ${halfDay} ${after}`, { timeZone, from: day - DAY });
      }
    }
  }
  return [...changes.values()];
}

describe("the instants of slots", () => {
  test("are found like by somebody who watches the clock, at every change of the clocks of 2027 in every zone", ({
    expect,
  }) => {
    const times = Array.from({ length: 96 }, (_, index) => toTimeOfDay(index * 15));
    const changes = changesOf2027();
    expect(changes.length).toBeGreaterThan(20);
    for (const { timeZone, from } of changes) {
      const clock = clockOf(timeZone, from);
      const shown = [...clock.keys()].toSorted();
      const dates = [...new Set(shown.map((shows) => shows.slice(0, 10)))].slice(1, -1);
      const slots = dates.flatMap((date) => times.map((time) => `${date} ${time}`));
      // When the clock first shows the time, or where it never does, the next that it shows.
      const seen = slots.map((slot) => clock.get(slot) ?? clock.get(shown.find((shows) => shows > slot) ?? "") ?? 0);
      const expected = [...new Set(seen)].toSorted((a, b) => a - b).map((at) => new Date(at).toISOString());
      const first = new Date(Date.parse(expected[0] ?? "") - 1).toISOString();
      expect(timesOf(timeZone, times, first, 4).slice(0, expected.length), timeZone).toEqual(expected);
    }
  });

  test("are those of their weekday on the clock of the zone", ({ expect }) => {
    const now = Date.parse("2026-12-21T00:00:00Z");
    const slots = [
      { weekday: 1, time: "09:30" },
      { weekday: 6, time: "00:15" },
    ];
    const times = [...slotTimes({ timeZone: "Europe/Berlin", slots }, { now, until: now + 9 * DAY })];
    expect(times.map((at) => new Date(at).toISOString())).toEqual([
      "2026-12-22T08:30:00.000Z",
      "2026-12-26T23:15:00.000Z",
      "2026-12-29T08:30:00.000Z",
    ]);
  });

  test("begin after now and end at the border", ({ expect }) => {
    expect(timesOf("UTC", ["12:00"], "2026-12-21T12:00:00Z", 2)).toEqual([
      "2026-12-22T12:00:00.000Z",
      "2026-12-23T12:00:00.000Z",
    ]);
  });

  test("in an hour that the clock skips are the first minute after it, once", ({ expect }) => {
    expect(timesOf("Europe/Berlin", ["02:00", "02:30", "03:00", "03:01"], "2027-03-28T00:00:00Z", 0.1)).toEqual([
      "2027-03-28T01:00:00.000Z",
      "2027-03-28T01:01:00.000Z",
    ]);
  });

  test("in an hour that comes twice are in the first", ({ expect }) => {
    expect(timesOf("Europe/Berlin", ["02:30"], "2027-10-30T22:00:00Z", 0.5)).toEqual(["2027-10-31T00:30:00.000Z"]);
  });

  test("rise, and each shows its time or is the first minute after a gap, in zones with unusual changes", ({
    expect,
  }) => {
    const times = ["00:00", "00:30", "01:15", "02:00", "02:15", "02:30", "03:00", "23:45"];
    const minutes = new Set(times.map((time) => parseTimeOfDay(time)));
    const zones = ["Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Africa/Cairo", "America/Nuuk"];
    const unusual = zones.flatMap((timeZone) => {
      const found = timesOf(timeZone, times, "2027-01-01T00:00:00Z", 365).map((text) => Date.parse(text));
      expect(found.length).toBeGreaterThan(364 * times.length);
      return found.flatMap((at, index) => {
        expect(at).toBeGreaterThan(found[index - 1] ?? 0);
        const wall = wallTimeAt(timeZone, at);
        if (minutes.has(wall.minute)) {
          expect(instantsOf(timeZone, wall)[0]).toBe(at);
          return [];
        }
        // Both skip midnight: the minute before it on the clock is none.
        const { date } = wall;
        expect(parseDate(date)).not.toBeNull();
        expect(instantsOf(timeZone, { date, minute: wall.minute - 1 })).toEqual([]);
        expect(wallTimeAt(timeZone, at - MINUTE).minute).not.toBe(wall.minute - 1);
        return [timeZone];
      });
    });
    expect(unusual).toEqual(["America/Santiago", "Africa/Cairo"]);
  });
});
