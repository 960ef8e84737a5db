import * as fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { toPlainText } from "#core/text.ts";
import { contentLine, instantLine, textLine } from "#feeds/content-lines.ts";

const octets = (text: string) => new TextEncoder().encode(text).length;
const linesOf = (text: string) => text.split("\r\n");

/** The value as another library reads it. */
function readBack(line: string): unknown {
  const text = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${line}END:VEVENT\r\nEND:VCALENDAR\r\n`;
  return new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent")?.getFirstPropertyValue("description");
}

describe("a text", () => {
  test.each([
    "Two\nlines\n\nand, a comma; a semicolon: a colon",
    String.raw`C:\new \\ \, \; \n`,
    "BEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\nATTENDEE:mailto:mallory@example.com",
    `${"x".repeat(61)}👩‍👩‍👧‍👦${"é".repeat(40)}€${"😀".repeat(40)}`,
    " leads and trails \n",
    'tab \t "quotes" <b>&amp;</b> ^n',
    "\u2028 \uFEFF \u202E",
    "",
  ])("%j comes back exactly", (text) => {
    expect(readBack(textLine("DESCRIPTION", text))).toBe(text);
  });

  test("of any kind comes back, in lines of at most 75 octets of whole characters", () => {
    const characters = fc.string({ unit: "binary", maxLength: 300 });
    const hostile = fc.array(fc.constantFrom("\\", ",", ";", ":", "\n", "\r", "\r\n", "😀", "é", "\u0000", "x", " "));
    fc.assert(
      fc.property(
        fc.oneof(
          characters,
          hostile.map((parts) => parts.join("")),
        ),
        (text) => {
          const line = textLine("DESCRIPTION", text);
          expect(readBack(line)).toBe(toPlainText(text));
          expect(Math.max(...linesOf(line).map(octets))).toBeLessThanOrEqual(75);
          expect(line.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test("loses control characters, which a calendar cannot hold, and each line break becomes one", () => {
    expect(readBack(textLine("DESCRIPTION", "a\u0000b\u0007c\u007fd\u0085e\r\nf\rg\ud800"))).toBe("abcde\nf\ng\ufffd");
  });
});

describe("a line", () => {
  test.each([
    [63, 1],
    [64, 2],
  ])("of %i characters after its name is %i", (length, lines) => {
    expect(linesOf(contentLine("DESCRIPTION", "x".repeat(length)))).toHaveLength(lines + 1);
  });

  test("is never folded inside a character", () => {
    for (let before = 55; before < 70; before++) {
      const [first = "", second = ""] = linesOf(contentLine("DESCRIPTION", `${"x".repeat(before)}😀😀😀😀😀`));
      expect(octets(first)).toBeLessThanOrEqual(75);
      expect(first.isWellFormed()).toBe(true);
      expect(second.startsWith(" ")).toBe(true);
    }
  });

  test("with an instant is in UTC", () => {
    expect(instantLine("DTSTART", Date.UTC(2026, 11, 1, 9, 0, 0, 41))).toBe("DTSTART:20261201T090000Z\r\n");
  });
});
