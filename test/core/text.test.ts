import { describe, test } from "vitest";
import { hostMatches } from "#core/host-patterns.ts";
import { isJsonObject } from "#core/json.ts";
import { hasControlCharacter, replaceInvisible, toSingleLine } from "#core/text.ts";

describe("text", () => {
  test.for([
    ["a\r\n\tb", "a b"],
    ["a\u0000b", "a b"],
    ["\ud800!", "\ufffd!"],
    ["plain ünïcödé 👩‍🚀", "plain ünïcödé 👩‍🚀"],
  ])("%j on a single line is %j", ([text, line], { expect }) => {
    expect(toSingleLine(text ?? "")).toBe(line);
    expect(hasControlCharacter(line ?? "")).toBe(false);
  });

  test("invisible characters are removed or become a space", ({ expect }) => {
    const text = "pay\u202epal\u200b\u2028\ud800";
    expect(replaceInvisible(text, "")).toBe("paypal");
    expect(replaceInvisible(text, " ")).toBe("pay pal ");
    expect([hasControlCharacter("a\u0007"), hasControlCharacter("a\u200b")]).toEqual([true, false]);
  });
});

test.for([
  ["api.example.com", true],
  ["cdn.example.net", true],
  ["a.cdn.example.net", true],
  ["example.net", false],
  ["evil-example.net", false],
  ["api.example.com.evil.net", false],
  ["www.api.example.com", false],
] as const)("%s matches the host patterns: %s", ([host, matches], { expect }) => {
  expect(hostMatches(["api.example.com", "*.example.net"], host)).toBe(matches);
});

test("only objects are JSON objects", ({ expect }) => {
  expect([{}, { a: 1 }, [], null, "{}", undefined, 1].map(isJsonObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
