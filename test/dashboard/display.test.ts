import { describe, expect, test } from "vitest";
import { formatDate, formatDateTime, formatTimeOfDay, formatZone, readDisplay } from "#dashboard/wording/display.ts";

describe("clock and first weekday follow the browser's language", () => {
  test.each([
    ["en-US,en;q=0.9", true, 6],
    ["en-GB", false, 0],
    ["de", false, 0],
    ["ar-EG", true, 5],
    ["en", true, 6],
    ["*", false, 0],
    ["", false, 0],
    ["no-such-language-tag-at-all", false, 0],
    [undefined, false, 0],
  ])("%s", (header, hour12, firstWeekday) => {
    expect(readDisplay("UTC", header)).toEqual({ timeZone: "UTC", hour12, firstWeekday });
  });
});

describe("formats", () => {
  const chatham = { timeZone: "Pacific/Chatham", hour12: true, firstWeekday: 0 };

  test("dates in words", () => {
    expect(formatDate("2026-12-03", "short")).toBe("3 Dec");
    expect(formatDate("2026-12-03", "medium")).toBe("Thu, 3 Dec 2026");
    expect(formatDate("2026-12-03", "month")).toBe("December 2026");
  });

  test("an instant in the person's zone and clock", () => {
    expect(formatDateTime(chatham, Date.UTC(2026, 11, 3, 12, 5))).toBe("Fri, 4 Dec 2026, 1:50 am");
    expect(formatDateTime({ ...chatham, hour12: false }, Date.UTC(2026, 11, 3, 12, 5))).toBe("Fri, 4 Dec 2026, 01:50");
  });

  test("noon and midnight on a 12-hour clock", () => {
    expect([0, 719, 720, 1439].map((minute) => formatTimeOfDay({ hour12: true }, minute))).toEqual([
      "12:00 am",
      "11:59 am",
      "12:00 pm",
      "11:59 pm",
    ]);
  });

  test("the zone with its offset at that instant", () => {
    expect(formatZone("Europe/Berlin", Date.UTC(2026, 9, 25, 0, 30))).toBe("Europe/Berlin (UTC+02:00)");
    expect(formatZone("Europe/Berlin", Date.UTC(2026, 9, 25, 1, 30))).toBe("Europe/Berlin (UTC+01:00)");
    expect(formatZone("Europe/London", Date.UTC(2026, 0, 1))).toBe("Europe/London (UTC+00:00)");
    expect(formatZone("UTC", 0)).toBe("UTC");
  });
});
