import { describe, test } from "vitest";
import { comparableStatusText, rawLength, textLength } from "#platforms/mastodon/text.ts";

const length = (text: string, spoiler = "") => textLength(text, spoiler, 23);

describe("the length of a text", () => {
  test.for<[string, number]>([
    ["", 0],
    ["hello", 5],
    ["👨‍👩‍👧‍👦🏳️‍🌈", 2],
    ["e\u0301\r\n", 2],
    ["https://example.com", 23],
    [`https://example.com/${"a".repeat(300)}?b=1#c`, 23],
    ["see https://a.com, http://b.org.", 4 + 23 + 2 + 23 + 1],
    // Without a scheme, or directly behind a letter, it is text.
    ["example.org", 11],
    ["xhttps://example.com/abcdefghijklmnop", 37],
    ["@ben", 4],
    ["@ben@social.example.org hi", 7],
    ["(@ben@example.org)", 6],
    ["mail ben@example.org", 20],
    [`@ben@${"a".repeat(254)}`, 259],
  ])("%s", ([text, expected], { expect }) => {
    expect(length(text)).toBe(expected);
  });

  test("the content warning counts, and its links are not shortened", ({ expect }) => {
    expect(length("hello", "warning")).toBe(12);
    expect(length("", "https://example.com/0123456789")).toBe(30);
  });

  test("a server's own length for links counts", ({ expect }) => {
    expect(textLength("https://example.com", "", 30)).toBe(30);
  });

  test("other programs count code points", ({ expect }) => {
    expect(rawLength("https://example.com 👨‍👩‍👧‍👦", "a")).toBe(28);
  });
});

describe("a sent text and its source", () => {
  test.for<[string, string]>([
    [" hello \n", "hello"],
    ["a\r\nb", "a\nb"],
    ["hi @Ben@Mastodon.Example and @Eve", "hi @ben and @eve"],
    ["hi @ben@mastodon.example.", "hi @ben."],
  ])("%j is %j", ([sent, source], { expect }) => {
    expect(comparableStatusText(sent)).toBe(comparableStatusText(source));
  });

  test("differ where a word differs", ({ expect }) => {
    expect(comparableStatusText("Hello")).not.toBe(comparableStatusText("hello"));
    expect(comparableStatusText("@ben")).not.toBe(comparableStatusText("@eve"));
  });
});
