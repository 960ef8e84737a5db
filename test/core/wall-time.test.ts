import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import {
  addDays,
  addMinutes,
  addMonths,
  type CalendarDate,
  daysBetween,
  instantOf,
  instantsOf,
  neighboursOfSkipped,
  parseDate,
  parseTimeOfDay,
  startOfDate,
  startOfMonth,
  startOfWeek,
  toTimeOfDay,
  wallTimeAt,
  weekdayOf,
} from "#core/wall-time.ts";

const ZONES = Intl.supportedValuesOf("timeZone");
const SPECIAL_ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "America/Santiago",
  "Asia/Beirut",
  "Pacific/Chatham",
  "Pacific/Pago_Pago",
  "Pacific/Apia",
  "America/Nuuk",
];
const zone = fc.oneof(fc.constantFrom(...ZONES), fc.constantFrom(...SPECIAL_ZONES));
const instant = fc
  .integer({ min: Date.UTC(1990, 0, 1) / 60_000, max: Date.UTC(2037, 11, 31) / 60_000 })
  .map((m) => m * 60_000);
const date = fc
  .integer({ min: 7305, max: 24_836 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10) as CalendarDate);
const minute = fc.integer({ min: 0, max: 1439 });

function plainDateTime(day: CalendarDate, minuteOfDay: number) {
  return Temporal.PlainDate.from(day).toPlainDateTime(
    Temporal.PlainTime.from({ hour: Math.floor(minuteOfDay / 60), minute: minuteOfDay % 60 }),
  );
}

describe("agrees with Temporal in every zone", () => {
  test("what the clock shows at an instant", () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, ms) => {
        const expected = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
        expect(wallTimeAt(timeZone, ms)).toEqual({
          date: expected.toPlainDate().toString(),
          minute: expected.hour * 60 + expected.minute,
        });
      }),
      { numRuns: 2000 },
    );
  });

  test("the instant of a wall time: the earlier one if it occurs twice, later if it is skipped", () => {
    fc.assert(
      fc.property(zone, date, minute, (timeZone, day, minuteOfDay) => {
        const expected = plainDateTime(day, minuteOfDay).toZonedDateTime(timeZone, { disambiguation: "compatible" });
        expect(instantOf(timeZone, { date: day, minute: minuteOfDay })).toBe(expected.epochMilliseconds);
      }),
      { numRuns: 2000 },
    );
  });

  test("all instants of a wall time on the days of a change", () => {
    fc.assert(
      fc.property(zone, instant, minute, (timeZone, ms, minuteOfDay) => {
        const change = Temporal.Instant.fromEpochMilliseconds(ms)
          .toZonedDateTimeISO(timeZone)
          .getTimeZoneTransition("next");
        const day = (change ?? Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)).toPlainDate();
        const plain = plainDateTime(day.toString() as CalendarDate, minuteOfDay);
        const [earlier, later] = (["earlier", "later"] as const).map((disambiguation) =>
          plain.toZonedDateTime(timeZone, { disambiguation }),
        );
        const exact = [earlier, later].filter((found) => found?.toPlainDateTime().equals(plain));
        const expected = [...new Set(exact.map((found) => found?.epochMilliseconds))];
        expect(instantsOf(timeZone, { date: day.toString() as CalendarDate, minute: minuteOfDay })).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("the first instant of a date, also where midnight is skipped", () => {
    fc.assert(
      fc.property(zone, date, (timeZone, day) => {
        const expected = Temporal.PlainDate.from(day).toZonedDateTime(timeZone);
        // Pacific/Apia and others skipped a whole date when they crossed the date line.
        fc.pre(expected.toPlainDate().toString() === day);
        expect(startOfDate(timeZone, day)).toBe(expected.epochMilliseconds);
      }),
      { numRuns: 1000 },
    );
  });

  test("arithmetic with dates", () => {
    fc.assert(
      fc.property(date, fc.integer({ min: -800, max: 800 }), (day, count) => {
        const plain = Temporal.PlainDate.from(day);
        expect(addDays(day, count)).toBe(plain.add({ days: count }).toString());
        expect(weekdayOf(day)).toBe(plain.dayOfWeek - 1);
        expect(addMonths(day, count % 40)).toBe(
          plain
            .with({ day: 1 })
            .add({ months: count % 40 })
            .toString(),
        );
        expect(daysBetween(day, addDays(day, count))).toBe(count);
      }),
      { numRuns: 500 },
    );
  });
});

describe("zone changes by example", () => {
  test("02:30 occurs twice in Berlin on 25 October 2026", () => {
    expect(instantsOf("Europe/Berlin", { date: "2026-10-25", minute: 150 })).toEqual([
      Date.UTC(2026, 9, 25, 0, 30),
      Date.UTC(2026, 9, 25, 1, 30),
    ]);
  });

  test("02:30 does not exist in Berlin on 29 March 2026, and is taken as 03:30", () => {
    const skipped = { date: "2026-03-29", minute: 150 } as const;
    expect(instantsOf("Europe/Berlin", skipped)).toEqual([]);
    expect(wallTimeAt("Europe/Berlin", instantOf("Europe/Berlin", skipped))).toEqual({
      date: "2026-03-29",
      minute: 210,
    });
  });

  test("a skipped time lies between the last minute before the change and the first after it", () => {
    const wall = (text: string) => ({ date: parseDate(text.slice(0, 10))!, minute: parseTimeOfDay(text.slice(11))! });
    const neighbours = (timeZone: string, text: string) => neighboursOfSkipped(timeZone, wall(text));
    for (const text of ["2026-03-29T02:00", "2026-03-29T02:30", "2026-03-29T02:59"]) {
      expect(neighbours("Europe/Berlin", text)).toEqual({
        before: wall("2026-03-29T01:59"),
        after: wall("2026-03-29T03:00"),
      });
    }
    expect(neighbours("America/Santiago", "2026-09-06T00:30")).toEqual({
      before: wall("2026-09-05T23:59"),
      after: wall("2026-09-06T01:00"),
    });
    expect(neighbours("Australia/Lord_Howe", "2026-10-04T02:10")).toEqual({
      before: wall("2026-10-04T01:59"),
      after: wall("2026-10-04T02:30"),
    });
    expect(neighbours("Europe/Berlin", "2026-03-29T03:00")).toBeNull();
    expect(neighbours("UTC", "2026-03-29T02:30")).toBeNull();
  });

  test("the day begins at 01:00 in Santiago on 6 September 2026", () => {
    expect(wallTimeAt("America/Santiago", startOfDate("America/Santiago", "2026-09-06"))).toEqual({
      date: "2026-09-06",
      minute: 60,
    });
  });

  test("an offset of 13:45 and one of -11:00", () => {
    const noon = Date.UTC(2026, 0, 15, 12);
    expect(wallTimeAt("Pacific/Chatham", noon)).toEqual({ date: "2026-01-16", minute: 105 });
    expect(wallTimeAt("Pacific/Pago_Pago", noon)).toEqual({ date: "2026-01-15", minute: 60 });
  });
});

describe("dates and times as forms send them", () => {
  test.each(["2026-02-30", "2026-13-01", "26-01-01", "2026-1-1", "", "1969-12-31", "+012026-01-01"])(
    "%s is no date",
    (text) => {
      expect(parseDate(text)).toBeNull();
    },
  );

  test.each(["24:00", "1:00", "12:60", "", "12:00:30"])("%s is no time of day", (text) => {
    expect(parseTimeOfDay(text)).toBeNull();
  });

  test("times of day round-trip", () => {
    fc.assert(fc.property(minute, (value) => parseTimeOfDay(toTimeOfDay(value)) === value));
    expect(parseTimeOfDay("09:30:00")).toBe(570);
  });

  test("weeks are found from dates, so that week 53 is one like any other", () => {
    expect(startOfWeek("2027-01-01", 0)).toBe("2026-12-28");
    expect(startOfWeek("2027-01-03", 6)).toBe("2027-01-03");
    expect(startOfMonth("2026-02-28")).toBe("2026-02-01");
    expect(addMinutes({ date: "2026-12-31", minute: 1410 }, 60)).toEqual({ date: "2027-01-01", minute: 30 });
    expect(addMinutes({ date: "2027-01-01", minute: 15 }, -30)).toEqual({ date: "2026-12-31", minute: 1425 });
  });
});
