import { describe, test } from "vitest";
import { DateTime, Hour12 } from "#dashboard/layout/components.tsx";
import { formatDateTime } from "#dashboard/wording/display.ts";

const AT = Date.UTC(2026, 11, 3, 20, 5);

describe("every page writes a time in one form", () => {
  test.for([
    [false, "Thu, 3 Dec 2026, 21:05"],
    [true, "Thu, 3 Dec 2026, 9:05 pm"],
  ] as const)("in the person's zone and clock (hour12: %s)", async ([hour12, text], { expect }) => {
    const element = (
      <Hour12.Provider value={hour12}>
        <DateTime value={AT} timeZone="Europe/Berlin" />
      </Hour12.Provider>
    );
    expect(String(await element)).toBe(`<time datetime="2026-12-03T20:05:00.000Z">${text}</time>`);
    expect(formatDateTime({ timeZone: "Europe/Berlin", hour12 }, AT)).toBe(text);
  });

  test("a date alone too", async ({ expect }) => {
    const element = <DateTime value={AT} timeZone="UTC" showTime={false} />;
    expect(String(await element)).toContain("Thu, 3 Dec 2026<");
  });
});
