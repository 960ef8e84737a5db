import { describe, test } from "vitest";
import { readTimeArgument, timeInWords } from "#mcp/describe/local-time.ts";

const NOW = Date.parse("2026-11-22T18:00:00Z");
const read = (text: string, timeZone: string | null = "Europe/Berlin") =>
  readTimeArgument(text, { timeZone, now: NOW });
const instant = (text: string) => ({ instant: Date.parse(text), warning: null });

describe("a time on the clock", () => {
  test.for([
    ["2026-12-24T18:00", "2026-12-24T17:00:00Z"],
    ["2026-12-24 18:00", "2026-12-24T17:00:00Z"],
    ["2026-12-24T18:00:30", "2026-12-24T17:00:30Z"],
    ["2026-07-01T18:00", "2026-07-01T16:00:00Z"],
    ["2027-03-28T03:00", "2027-03-28T01:00:00Z"],
  ] as const)("%s", ([text, expected], { expect }) => {
    expect(read(text)).toEqual(instant(expected));
  });

  test("that the change of the clocks skips is refused, with both neighbours", ({ expect }) => {
    const refused = read("2027-03-28T02:30");
    expect(refused).toMatchObject({ code: "local_time_does_not_exist" });
    expect(refused).toMatchObject({ problem: expect.stringContaining("write 2027-03-28T03:00 or 2027-03-28T01:59") });
  });

  test("that occurs twice is the first, and the warning tells the second", ({ expect }) => {
    const first = read("2026-10-25T02:30");
    expect(first).toMatchObject({
      instant: Date.parse("2026-10-25T00:30:00Z"),
      warning: { code: "local_time_ambiguous" },
    });
    const second = /send (\S+)$/.exec((first as { warning: { message: string } }).warning.message)?.[1] ?? "";
    expect(read(second)).toEqual(instant("2026-10-25T01:30:00Z"));
  });
});

describe("an instant", () => {
  test("in UTC is what it is", ({ expect }) => {
    expect(read("2026-12-24T18:00:00Z")).toEqual(instant("2026-12-24T18:00:00Z"));
  });

  test("with the offset of the zone on that day", ({ expect }) => {
    expect(read("2026-12-24T18:00:00+01:00")).toEqual(instant("2026-12-24T17:00:00Z"));
    expect(read("2026-07-01T18:00:00+02:00")).toEqual(instant("2026-07-01T16:00:00Z"));
  });

  test("with another offset was guessed: both meanings are offered", ({ expect }) => {
    const refused = read("2026-12-24T18:00:00+02:00") as { code: string; problem: string };
    expect(refused.code).toBe("offset_disagrees");
    expect(refused.problem).toContain("write 2026-12-24T18:00 without an offset");
    expect(refused.problem).toContain("2026-12-24T16:00:00.000Z");
  });

  test("in a zone that does not exist is not compared with it", ({ expect }) => {
    expect(read("2026-12-24T18:00:00+02:00", null)).toEqual(instant("2026-12-24T16:00:00Z"));
  });
});

describe("no time", () => {
  test.for([
    "tomorrow",
    "tomorrow at 6pm",
    "",
    "18:00",
    "24.12.2026 18:00",
    "2026-13-01T10:00",
    "2026-12-24T25:00",
    "now",
  ])("%j leads to today's date", (text, { expect }) => {
    const refused = read(text) as { code: string; problem: string };
    expect(refused.code).toBe("invalid_format");
    expect(refused.problem).toContain("get_overview");
    expect(refused.problem).toContain("2026-11-23T18:00");
  });

  test("a date alone", ({ expect }) => {
    expect(read("2026-12-24")).toMatchObject({ problem: expect.stringContaining("has no time of day") });
  });
});

test("is told with its weekday, date, time and zone", ({ expect }) => {
  expect(timeInWords("America/New_York", Date.parse("2026-12-24T18:00:00Z"))).toBe(
    "Thursday, 24 December 2026, 13:00 (America/New_York)",
  );
});
