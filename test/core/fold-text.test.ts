import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText } from "#core/fold-text.ts";

describe("folding a text", () => {
  test.for([
    ["Crème BRÛLÉE", "creme brulee"],
    ["cafe\u0301", "café"],
    ["STRASSE", "straße"],
    ["Ørsted, Łódź, Æther", "orsted, lodz, aether"],
    ["ΟΔΟΣ", "οδός"],
    ["Ёлка", "елка"],
    ["İSTANBUL", "istanbul"],
    ["ＳＡＬＥ　ｎｏｗ", "sale　now"],
    ["that’s", "that's"],
    ["❤️", "❤"],
    ["أحمد", "احمد"],
    ["\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"],
  ])("%s is found as %s", ([text = "", typed = ""]) => {
    expect(foldText(text)).toBe(foldText(typed));
  });

  test.for([
    ["がく", "かく"],
    ["कि", "का"],
    ["東京", "京東"],
  ])("%s is not %s", ([one = "", other = ""]) => {
    expect(foldText(one)).not.toBe(foldText(other));
  });

  test("a part of a text folds to a part of its folded text", () => {
    const segments = new Intl.Segmenter();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), fc.nat(), (text, a, b) => {
        const graphemes = [...segments.segment(text)].map(({ segment }) => segment);
        const [from, until] = [a % (graphemes.length + 1), b % (graphemes.length + 1)].toSorted((x, y) => x - y);
        expect(foldText(text)).toContain(foldText(graphemes.slice(from, until).join("")));
      }),
      { numRuns: 2000 },
    );
  });

  test("what is folded stays", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
    );
  });
});
