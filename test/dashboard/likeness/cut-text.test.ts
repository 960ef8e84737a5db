import * as fc from "fast-check";
import { describe, test } from "vitest";
import { findCut, splitAtMarks } from "#dashboard/likeness/cut-text.ts";

const MORE = { label: "more" };

describe("where a feed cuts", () => {
  test.for([
    ["abc", { characters: 3 }, "abc"],
    ["abcd", { characters: 3 }, "abc"],
    ["a\n\n\nb", { lines: 3 }, "a"],
    ["ab🧑‍🚀🧑‍🚀", { characters: 3 }, "ab🧑‍🚀"],
    ["a\nb\nc\nd", { lines: 3 }, "a\nb\nc"],
    ["a\r\nb\r\nc", { lines: 2 }, "a\r\nb"],
    ["a\nb\n\n", { lines: 2 }, "a\nb\n\n"],
    ["x".repeat(100), { lines: 2 }, "x".repeat(90)],
    ["hidden", { characters: 0 }, ""],
  ] as const)("%j at %j", ([text, cut, shown], { expect }) => {
    expect(text.slice(0, findCut(text, { ...cut, ...MORE }))).toBe(shown);
  });

  test("a feed without a cut shows everything", ({ expect }) => {
    expect(findCut("a\n".repeat(500), null)).toBe(1000);
  });
});

test("the parts on both sides of the cut are the whole text, with every mark", ({ expect }) => {
  const cases = fc.record({
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    cut: fc.nat(60),
    borders: fc.array(fc.nat(60), { maxLength: 8 }),
  });
  fc.assert(
    fc.property(cases, ({ text, cut, borders }) => {
      const sorted = [...new Set(borders.map((border) => Math.min(border, text.length)))].sort((a, b) => a - b);
      const marks = sorted.flatMap((start, index) => {
        const end = sorted[index + 1];
        return index % 2 === 0 && end !== undefined ? [{ start, end }] : [];
      });
      const end = Math.min(cut, text.length);
      const parts = [...splitAtMarks(text, marks, [0, end]), ...splitAtMarks(text, marks, [end, text.length])];
      expect(parts.map((part) => part.text).join("")).toBe(text);
      expect(parts.every((part) => part.text !== "")).toBe(true);
      const isMarked = parts.flatMap((part) => Array.from({ length: part.text.length }, () => part.isMarked));
      expect(isMarked).toEqual(
        Array.from({ length: text.length }, (_, at) => marks.some((mark) => mark.start <= at && at < mark.end)),
      );
    }),
  );
});
