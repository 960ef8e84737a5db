import * as fc from "fast-check";
import { describe, test } from "vitest";
import { countGraphemes, findTextLinks, toFacets } from "#platforms/bluesky/text.ts";
import { encodeTid, recordKey } from "#platforms/bluesky/refs.ts";
import { DID } from "./fixture.ts";

const anyDid = { get: () => DID } as unknown as ReadonlyMap<string, string>;

/** The linked parts of a text with what they lead to, cut out by their byte offsets. */
function partsOf(text: string): readonly (readonly [part: string, target: string])[] {
  const bytes = new TextEncoder().encode(text);
  return toFacets(text, findTextLinks(text), anyDid).map((facet) => {
    const { index, features } = facet as unknown as {
      index: { byteStart: number; byteEnd: number };
      features: readonly [{ uri?: string; tag?: string; did?: string }];
    };
    const part = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(index.byteStart, index.byteEnd),
    );
    return [part, features[0].uri ?? features[0].tag ?? features[0].did ?? ""] as const;
  });
}

describe("links", () => {
  test.for<[string, readonly (readonly [string, string])[]]>([
    ["see https://a.example.com/b?c=d#e.", [["https://a.example.com/b?c=d#e", "https://a.example.com/b?c=d#e"]]],
    ["(https://a.example.com/b)", [["https://a.example.com/b", "https://a.example.com/b"]]],
    ["https://a.example.com/b_(c)!?", [["https://a.example.com/b_(c)", "https://a.example.com/b_(c)"]]],
    ["👨‍👩‍👧‍👦 héé https://ü.example.com/ñ", [["https://ü.example.com/ñ", "https://ü.example.com/ñ"]]],
    [
      "example.com, docs.example.org/a.",
      [
        ["example.com", "https://example.com"],
        ["docs.example.org/a", "https://docs.example.org/a"],
      ],
    ],
    ["README.md e.g.this v1.2.3 me@example.com xhttps://a.example.com http://localhost/a http://", []],
    [
      "hi @ada.bsky.social. (@ben.example.com)",
      [
        ["@ada.bsky.social", DID],
        ["@ben.example.com", DID],
      ],
    ],
    ["me@ada.bsky.social @ada @-a.example.com @a.local", []],
    [
      "#one #two! #3 #4th #",
      [
        ["#one", "one"],
        ["#two", "two"],
        ["#4th", "4th"],
      ],
    ],
    [
      "＃日本語 #️⃣ #a\u200bb a#c",
      [
        ["＃日本語", "日本語"],
        ["#a", "a"],
      ],
    ],
    [
      "#https://a.example.com https://a.example.com/#tag",
      [
        ["#https://a.example.com", "https://a.example.com"],
        ["https://a.example.com/#tag", "https://a.example.com/#tag"],
      ],
    ],
  ])("%s", ([text, expected], { expect }) => {
    expect(partsOf(text)).toEqual(expected);
  });

  test("a tag over 64 graphemes and a mention of an unknown handle stay plain text", ({ expect }) => {
    expect(partsOf(`#${"a".repeat(64)}`)).toHaveLength(1);
    expect(partsOf(`#${"a".repeat(65)}`)).toEqual([]);
    const text = "@ada.bsky.social";
    expect(toFacets(text, findTextLinks(text), new Map())).toEqual([]);
  });

  test("facets lie on character boundaries, cover exactly what they name and never overlap", ({ expect }) => {
    const word = fc.oneof(
      fc.constantFrom(
        "https://a.example.com/ü",
        "example.com",
        "@ada.bsky.social",
        "#tag",
        "#日本",
        "(",
        ")",
        ".",
        "👩‍🚀",
        "é",
        "\ud83d",
        "＃",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    const textOf = fc.array(fc.tuple(word, fc.constantFrom("", " ", "\n", "("))).map((words) => words.flat().join(""));
    fc.assert(
      fc.property(textOf, (text) => {
        const links = findTextLinks(text);
        const facets = toFacets(text, links, anyDid) as unknown as readonly {
          index: { byteStart: number; byteEnd: number };
        }[];
        const bytes = new TextEncoder().encode(text);
        let end = 0;
        for (const [at, { index }] of facets.entries()) {
          expect(index.byteStart).toBeGreaterThanOrEqual(end);
          expect(index.byteEnd).toBeGreaterThan(index.byteStart);
          end = index.byteEnd;
          // `fatal` throws where a boundary lies inside a character.
          const part = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
            bytes.subarray(index.byteStart, index.byteEnd),
          );
          const link = links[at];
          expect(part).toBe(text.slice(link?.start, link?.end).toWellFormed());
          switch (link?.kind) {
            case "link":
              expect(link.uri.toWellFormed().endsWith(part.replace(/^https:\/\//, ""))).toBe(true);
              break;
            case "mention":
              expect(part.toLowerCase()).toBe(`@${link.handle}`);
              break;
            case "tag":
              expect(part.slice(1)).toBe(link.tag.toWellFormed());
              break;
            default:
              throw new Error("a facet without a link");
          }
        }
        expect(end).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 500 },
    );
  });
});

test("a family of emoji is one grapheme", ({ expect }) => {
  expect(countGraphemes("👨‍👩‍👧‍👦é🇩🇪")).toBe(3);
});

describe("record keys", () => {
  const TID = /^[234567abcdefghij][234567a-z]{12}$/;

  test("are those of the specification", ({ expect }) => {
    expect(encodeTid(0, 0)).toBe("2222222222222");
    expect(encodeTid(2 ** 53 - 1, 1023)).toBe("bzzzzzzzzzzzz");
    expect(encodeTid(1_700_000_000_000_000, 1)).toMatch(TID);
  });

  test("are the same in every run, near the due time, and different for every target", async ({ expect }) => {
    const dueAt = Date.parse("2030-01-01T12:00:00Z");
    const target = {
      postId: "0197a000-0000-7000-8000-00000000000a",
      accountId: "0197a000-0000-7000-8000-00000000000b",
      dueAt,
    };
    const key = await recordKey(target);
    expect(key).toMatch(TID);
    expect(await recordKey({ ...target })).toBe(key);
    expect(key > encodeTid(dueAt * 1000 - 1, 0) && key < encodeTid((dueAt + 1000) * 1000, 0)).toBe(true);
    const others = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => await recordKey({ ...target, postId: `post-${index}` })),
    );
    expect(new Set([...others, key]).size).toBe(201);
    expect(await recordKey({ ...target, accountId: "another" })).not.toBe(key);
  });
});
