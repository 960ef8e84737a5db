import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import type { CalendarDate } from "#core/wall-time.ts";
import { daysFrom, placePosts } from "#dashboard/calendar/grid.ts";
import { readCalendarQuery, rangeOf, VIEWS } from "#dashboard/calendar/query.ts";
import { readMoveTime } from "#dashboard/calendar/move-time.ts";
import { toTimeOfDay, wallTimeAt } from "#core/wall-time.ts";

const SPECIAL_ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "America/Santiago",
  "Asia/Beirut",
  "America/Havana",
  "Pacific/Chatham",
  "Pacific/Pago_Pago",
  "America/Nuuk",
];
const zone = fc.oneof(fc.constantFrom(...Intl.supportedValuesOf("timeZone")), fc.constantFrom(...SPECIAL_ZONES));
const instant = fc
  .integer({ min: Date.UTC(2015, 0, 1) / 60_000, max: Date.UTC(2037, 10, 30) / 60_000 })
  .map((minutes) => minutes * 60_000);
/** All posts have no days. */
const DATED_VIEWS = VIEWS.filter((view) => view !== "all");
const firstWeekday = fc.integer({ min: 0, max: 6 });

describe("agrees with Temporal in every zone", () => {
  test("a post is in the cell of its date, with the time that the clock shows", () => {
    fc.assert(
      fc.property(
        zone,
        instant,
        firstWeekday,
        fc.constantFrom(...DATED_VIEWS),
        (timeZone, scheduledAt, weekday, view) => {
          const expected = Temporal.Instant.fromEpochMilliseconds(scheduledAt).toZonedDateTimeISO(timeZone);
          const date = expected.toPlainDate().toString() as CalendarDate;
          const query = readCalendarQuery(new URLSearchParams({ view, date }), "2026-01-01");
          const range = rangeOf(query, { firstWeekday: weekday });
          const days = daysFrom(timeZone, range.first, range.days);
          const placed = placePosts(timeZone, days, [{ scheduledAt }]).flat();
          expect(placed).toHaveLength(1);
          const { isRepeated, ...where } = placed[0]!;
          expect(where).toEqual({ post: { scheduledAt }, date, minute: expected.hour * 60 + expected.minute });
          const readings = (["earlier", "later"] as const).map(
            (disambiguation) =>
              expected.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds,
          );
          expect(isRepeated).toBe(readings[0] !== readings[1]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("a post that is moved to another day keeps the time of the clock, also across a clock change", () => {
    fc.assert(
      fc.property(zone, instant, fc.integer({ min: -40, max: 40 }), (timeZone, scheduledAt, days) => {
        const before = Temporal.Instant.fromEpochMilliseconds(scheduledAt).toZonedDateTimeISO(timeZone);
        const target = before.toPlainDate().add({ days });
        const { minute } = wallTimeAt(timeZone, scheduledAt);
        const fields = { date: target.toString(), time: toTimeOfDay(minute), fold: "earlier" };
        const moved = readMoveTime({ timeZone, hour12: false, firstWeekday: 0 }, fields);
        const expected = target.toPlainDateTime(before.toPlainTime());
        const after = expected.toZonedDateTime(timeZone, { disambiguation: "earlier" });
        const exists = after.toPlainDateTime().equals(expected);
        expect(moved.kind === "instant" ? moved.instant : moved.kind).toBe(
          exists ? after.epochMilliseconds : "invalid",
        );
      }),
      { numRuns: 1000 },
    );
  });
});

function range(view: string, date: string, firstWeekdayOfUser = 0) {
  const query = readCalendarQuery(new URLSearchParams({ view, date }), "2026-11-22");
  const { title, first, days, previous, next } = rangeOf(query, { firstWeekday: firstWeekdayOfUser });
  return [title, first, days, previous, next];
}

describe("the days of a view", () => {
  test("a month has whole weeks from the user's first weekday", () => {
    expect(range("month", "2026-11-22")).toEqual(["November 2026", "2026-10-26", 42, "2026-10-01", "2026-12-01"]);
    expect(range("month", "2026-11-22", 6)).toEqual(["November 2026", "2026-11-01", 35, "2026-10-01", "2026-12-01"]);
    expect(range("month", "2027-02-10")).toEqual(["February 2027", "2027-02-01", 28, "2027-01-01", "2027-03-01"]);
  });

  test("the last week of 2026 is its 53rd and lies in two years", () => {
    const week = ["28 Dec 2026 – 3 Jan 2027", "2026-12-28", 7, "2026-12-21", "2027-01-04"];
    expect(range("week", "2026-12-31")).toEqual(week);
    expect(range("week", "2027-01-01")).toEqual(week);
  });

  test("a list begins with its date", () => {
    expect(range("list", "2026-11-22")).toEqual(["22 Nov – 19 Dec 2026", "2026-11-22", 28, "2026-10-25", "2026-12-20"]);
  });

  test("days with a clock change are shorter or longer, also where the clock moves at midnight", () => {
    const changes = (timeZone: string, first: CalendarDate, count: number) =>
      daysFrom(timeZone, first, count).flatMap(({ date, clockChange }) =>
        clockChange === 0 ? [] : [`${date} ${clockChange}`],
      );
    expect(changes("Europe/Berlin", "2027-03-22", 7)).toEqual(["2027-03-28 60"]);
    expect(changes("Europe/Berlin", "2026-10-19", 7)).toEqual(["2026-10-25 -60"]);
    expect(changes("Australia/Lord_Howe", "2026-10-01", 7)).toEqual(["2026-10-04 30"]);
    expect(changes("Asia/Beirut", "2026-03-25", 7)).toEqual(["2026-03-29 60"]);
    expect(changes("Pacific/Chatham", "2026-11-01", 28)).toEqual([]);
    expect(changes("Pacific/Pago_Pago", "2026-01-01", 365)).toEqual([]);
  });
});

describe("an address is read leniently", () => {
  test.each(["", "view=year", "date=2026-13-01", "date=1969-12-31", "date=9999-12-31", "status=cancelled&source=mail"])(
    "%s",
    (search) => {
      expect(readCalendarQuery(new URLSearchParams(search), "2026-11-22")).toEqual({
        view: "month",
        chosenView: null,
        date: "2026-11-22",
        filter: search.includes("cancelled") ? { shown: "cancelled" } : {},
        page: 1,
        before: null,
      });
    },
  );
});

describe("date and time of the move form", () => {
  const berlin = { timeZone: "Europe/Berlin", hour12: false, firstWeekday: 0 };
  const read = (date: string, time: string, fold = "") => readMoveTime(berlin, { date, time, fold });

  test("a time that the clock shows twice needs a choice", () => {
    expect(read("2026-10-25", "02:30")).toMatchObject({
      kind: "repeated",
      message: "The clock shows 02:30 on Sun, 25 Oct 2026 twice. Choose which of the two you mean.",
    });
    expect(read("2026-10-25", "02:30", "earlier")).toMatchObject({ instant: Date.UTC(2026, 9, 25, 0, 30) });
    expect(read("2026-10-25", "02:30", "later")).toMatchObject({ instant: Date.UTC(2026, 9, 25, 1, 30) });
  });

  test("a time that does not exist is named, with one that does", () => {
    expect(read("2027-03-28", "02:30")).toEqual({
      kind: "invalid",
      message:
        "02:30 on Sun, 28 Mar 2027 does not exist: the clock is moved forward over it. Choose another time, for example 03:30.",
    });
  });

  test("what is not a date or a time is asked for", () => {
    expect(read("2026-02-30", "10:00")).toEqual({ kind: "invalid", message: "Choose a date." });
    expect(read("2026-02-28", "25:00")).toEqual({ kind: "invalid", message: "Choose a time." });
  });
});
