import { describe, test } from "vitest";
import { parseSlots } from "../../../clients/cli/src/slot-words.ts";
import { withTimeZone } from "../../../clients/cli/src/table-zone.ts";
import { Clock, parseMinutes, parseTime, timeZoneOf } from "../../../clients/cli/src/times.ts";

const BERLIN = "Europe/Berlin";
/** A Monday in winter, 08:00 in Berlin. */
const NOW = Date.UTC(2026, 10, 23, 7);
const iso = (words: string, zone = BERLIN, now = NOW) => new Date(parseTime(words, zone, now)).toISOString();

describe("words of a time mean the user's zone", () => {
  test.for<readonly [words: string, expected: string]>([
    ["tomorrow 9:00", "2026-11-24T08:00:00.000Z"],
    ["today at 18:30", "2026-11-23T17:30:00.000Z"],
    ["friday 6pm", "2026-11-27T17:00:00.000Z"],
    ["monday 9:00", "2026-11-23T08:00:00.000Z"],
    ["monday 7:00", "2026-11-30T06:00:00.000Z"],
    ["in 2 hours", "2026-11-23T09:00:00.000Z"],
    ["in 90 minutes", "2026-11-23T08:30:00.000Z"],
    ["2026-12-24 18:00", "2026-12-24T17:00:00.000Z"],
    ["24 December 2026 18:00", "2026-12-24T17:00:00.000Z"],
    ["2027-07-01 09:00", "2027-07-01T07:00:00.000Z"],
    ["2026-12-24T18:00:00Z", "2026-12-24T18:00:00.000Z"],
    ["2026-12-24T18:00:00+05:30", "2026-12-24T12:30:00.000Z"],
    ["now", "2026-11-23T07:00:00.000Z"],
  ])("%s", ([words, expected], { expect }) => {
    expect(iso(words)).toBe(expected);
  });

  test("also in another zone than that of this computer", ({ expect }) => {
    expect(iso("tomorrow 9:00", "America/New_York")).toBe("2026-11-24T14:00:00.000Z");
    expect(iso("tomorrow 9:00", "Asia/Kathmandu")).toBe("2026-11-24T03:15:00.000Z");
    // Late in the evening, the day there is not the day here.
    expect(iso("tomorrow 9:00", "Pacific/Auckland", Date.UTC(2026, 10, 23, 20))).toBe("2026-11-24T20:00:00.000Z");
  });

  test("also across a change of the clocks", ({ expect }) => {
    const eveBeforeSummer = Date.UTC(2027, 2, 27, 17);
    expect(iso("tomorrow 9:00", BERLIN, eveBeforeSummer)).toBe("2027-03-28T07:00:00.000Z");
    expect(iso("in 24 hours", BERLIN, eveBeforeSummer)).toBe("2027-03-28T17:00:00.000Z");
  });
});

describe("a time is refused", () => {
  test.for<readonly [words: string, code: string]>([
    ["2027-03-28 02:30", "skipped_time"],
    ["2026-10-25 02:30", "ambiguous_time"],
    ["tomorrow", "time_of_day_missing"],
    ["24 december", "time_of_day_missing"],
    ["soon", "unclear_time"],
    ["tomorrow 9:00 or later", "unclear_time"],
    ["9:00 tomorrow and 10:00 friday", "unclear_time"],
    ["", "unclear_time"],
  ])("%s: %s", ([words, code], { expect }) => {
    expect(() => parseTime(words, BERLIN, Date.UTC(2026, 8, 1))).toThrow(expect.objectContaining({ code }));
  });

  test("because its zone is none", ({ expect }) => {
    expect(() => timeZoneOf("Berlin")).toThrow(expect.objectContaining({ code: "unknown_time_zone" }));
  });
});

test("a day is enough where a slot is looked for, from its begin on", ({ expect }) => {
  const day = (words: string) => new Date(parseTime(words, BERLIN, NOW, { dayIsEnough: true })).toISOString();
  expect(day("friday")).toBe("2026-11-26T23:00:00.000Z");
  expect(day("2027-07-01")).toBe("2027-06-30T22:00:00.000Z");
  expect(day("friday 18:00")).toBe("2026-11-27T17:00:00.000Z");
});

test("slots are days and a time", ({ expect }) => {
  const slots = (text: string) => parseSlots(text).map(({ weekday, time }) => `${weekday} ${time}`);
  expect(slots("mon 9:30")).toEqual(["0 09:30"]);
  expect(slots(" Tuesdays, thu  18:00")).toEqual(["1 18:00", "3 18:00"]);
  expect(slots("weekdays 00:00")).toEqual([0, 1, 2, 3, 4].map((day) => `${day} 00:00`));
  expect(slots("daily 23:59")).toHaveLength(7);
  for (const text of ["mo 9:30", "9:30", "mon", "mon 24:00", "mon 9:60", "mon 9", "mon; tue 9:30", ""]) {
    expect(() => parseSlots(text), text).toThrow(expect.objectContaining({ code: "unclear_slot" }));
  }
});

describe("a date of two numbers", () => {
  const messageOf = (words: string, options = {}) => {
    try {
      return new Date(parseTime(words, BERLIN, NOW, options)).toISOString();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  test.for<readonly [words: string, dayFirst: string, monthFirst: string]>([
    ["05.06.2027 18:00", "2027-06-05 18:00", "2027-05-06 18:00"],
    ["5/6/2027 6pm", "2027-06-05 18:00", "2027-05-06 18:00"],
    ["05-06-2027 at 9:30", "2027-06-05 09:30", "2027-05-06 09:30"],
    ["5/6 18:00", "2027-06-05 18:00", "2027-05-06 18:00"],
  ])("%s is refused with both readings", ([words, dayFirst, monthFirst], { expect }) => {
    expect(() => parseTime(words, BERLIN, NOW)).toThrow(expect.objectContaining({ code: "ambiguous_date" }));
    expect(messageOf(words)).toBe(
      `"${words}" can be two days: write "${dayFirst}" if the day comes first, or "${monthFirst}" if the month does`,
    );
  });

  test("also where a day is enough", ({ expect }) => {
    expect(messageOf("05.06.2027", { dayIsEnough: true })).toContain('"2027-06-05" if the day comes first');
  });

  test.for<readonly [words: string, instant: string]>([
    ["24.12.2026 18:00", "2026-12-24T17:00:00.000Z"],
    ["12/24/2026 18:00", "2026-12-24T17:00:00.000Z"],
    ["07.07.2027 18:00", "2027-07-07T16:00:00.000Z"],
    ["2027-05-06 18:00", "2027-05-06T16:00:00.000Z"],
    ["5 June 2027 18:00", "2027-06-05T16:00:00.000Z"],
  ])("%s can be only one day", ([words, instant], { expect }) => {
    expect(messageOf(words)).toBe(instant);
  });

  test("a change of the clocks has a sentence for each kind", ({ expect }) => {
    expect(messageOf("2027-03-28 02:30")).toBe(
      'the clock of Europe/Berlin never shows 2027-03-28 02:30, because it is moved forward: write "2027-03-28 03:30" or "2027-03-28 01:30"',
    );
    expect(messageOf("2027-10-31 02:30")).toBe(
      'the clock of Europe/Berlin shows 2027-10-31 02:30 twice: write "2027-10-31T02:30+02:00" for the first time, or "2027-10-31T02:30+01:00" for the second',
    );
    expect(messageOf("2027-10-31T02:30+01:00")).toBe("2027-10-31T01:30:00.000Z");
  });
});

describe("a table", () => {
  test.for<readonly [what: string, before: string, after: string]>([
    [
      "gets the zone where a time has none",
      "caption,scheduled_at\na,2027-01-01T18:00\nb,2027-01-01T18:00:00Z\nc,2027-01-01T18:00+01:00\n",
      "caption,scheduled_at,time_zone\na,2027-01-01T18:00,Europe/Berlin\nb,2027-01-01T18:00:00Z,\nc,2027-01-01T18:00+01:00,\n",
    ],
    [
      "keeps its own zones, its delimiter and its empty lines",
      "\uFEFFcaption;time_zone;scheduled_at\na;UTC;2027-01-01 18:00\n\nb;;2027-01-01 18:00",
      "caption;time_zone;scheduled_at\na;UTC;2027-01-01 18:00\n\nb;Europe/Berlin;2027-01-01 18:00",
    ],
    [
      "keeps quoted cells, and lines with too few",
      'caption,scheduled_at\n"a, ""b""\nc",2027-01-01T18:00\nd\n',
      'caption,scheduled_at,time_zone\n"a, ""b""\nc",2027-01-01T18:00,Europe/Berlin\nd\n',
    ],
  ])("%s", ([, before, after], { expect }) => {
    expect(withTimeZone(before, BERLIN)).toBe(after);
  });

  test.for([
    "caption,scheduled_at\na,2027-01-01T18:00:00Z\nb,2027-12-24\nc,soon\n",
    "caption,when\na,2027-01-01T18:00\n",
    'caption,scheduled_at\n"a,2027-01-01T18:00\n',
    "",
  ])("%j stays as it is", (text, { expect }) => {
    expect(withTimeZone(text, BERLIN)).toBe(text);
  });
});

test("every time is shown with its zone", ({ expect }) => {
  const clock = new Clock(BERLIN, () => NOW);
  expect(clock.full("2026-12-24T18:00:00.000Z")).toBe("Thu 24 Dec 2026, 19:00 Europe/Berlin (GMT+1)");
  expect(clock.short("2026-12-24T23:30:00.000Z")).toBe("Fri 25 Dec 00:30");
  expect(clock.short("2027-01-01T18:00:00.000Z")).toBe("Fri 01 Jan 2027 19:00");
  expect(clock.dayOf("2026-12-24T23:30:00.000Z")).toBe("2026-12-25");
  expect(clock.distance("2026-11-23T10:00:00.000Z")).toBe("in 3 hours");
});

test("durations", ({ expect }) => {
  expect(["30", "90m", "2h", "-1d", "+15 min"].map(parseMinutes)).toEqual([30, 90, 120, -1440, 15]);
  expect(() => parseMinutes("soon")).toThrow(expect.objectContaining({ code: "unclear_duration" }));
});
