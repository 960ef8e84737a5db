import { describe, test } from "vitest";
import { normalizeText, normalizeTextWithoutUrls, measureText } from "#platforms/x/text.ts";

describe("measureText computes X's weighted length", () => {
  test.for<[string, number]>([
    ["Hello, world! 👋", 16],
    [`https://example.com/${"a".repeat(200)}`, 23],
    ["example.com", 23],
    ["see foo.bar now", 31],
    ["end.Start", 9],
    ["http://localhost/x", 18],
    ["hello@example.com", 17],
    ["👨‍👩‍👧‍👦", 2],
    ["🙋🏽", 2],
    ["🇩🇪", 2],
    ["1️⃣", 2],
    ["日本語", 6],
    ["안녕", 4],
    ["हिन्दी", 6],
    ["ق", 1],
    ["café", 4],
    ["cafe\u0301", 4],
    ["…", 2],
    ["™", 2],
    ["①", 2],
    ["—", 1],
    ["“q”", 3],
    ["©", 1],
    ["a".repeat(281), 281],
    ["a ".repeat(5000), 10_000],
    [`${"word ".repeat(1000)}https://example.com/path`, 5023],
  ])("%s has weight %i", ([text, weight], { expect }) => {
    expect(measureText(text).weight).toBe(weight);
  });

  test("URLs and cashtags are found", ({ expect }) => {
    expect(measureText("see https://example.com/a?b=1 and foo.bar, $ABC $DEF").urls).toEqual([
      "https://example.com/a?b=1",
      "foo.bar",
    ]);
    expect(measureText("$ABC and $DEF").cashtags).toEqual(["ABC", "DEF"]);
  });

  test("characters that X refuses are found", ({ expect }) => {
    expect(measureText("a\uFFFEb").invalidCharacters).toBe(true);
    expect(measureText("a\u200Bb").invalidCharacters).toBe(false);
  });

  test("a text of one very long word is measured in bounded time", ({ expect }) => {
    const started = performance.now();
    expect(measureText("a-".repeat(20_000)).weight).toBe(40_000);
    expect(measureText("a.".repeat(500_000)).weight).toBe(1_000_000);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe("normalizeText makes a returned text comparable", () => {
  test("URL schemes, trailing slashes, spaces and composed accents do not matter", ({ expect }) => {
    expect(normalizeText("Look:  Example.com/ \n cafe\u0301")).toBe(normalizeText("look: http://example.com café"));
    expect(normalizeText("a https://example.com/1")).not.toBe(normalizeText("a https://example.com/2"));
  });

  test("normalizeTextWithoutUrls: two texts that differ only in their URL are similar", ({ expect }) => {
    expect(normalizeTextWithoutUrls("New: https://example.com/1")).toBe(
      normalizeTextWithoutUrls("New: https://example.com/2"),
    );
  });
});
