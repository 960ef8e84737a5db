import * as fc from "fast-check";
import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { Adapter, AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { sampleOf } from "../support/platform-samples.ts";

const adapters = PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []);

const OPTION_NAMES = [
  "title",
  "link",
  "board_ids",
  "quote_tweet_url",
  "link_card",
  "article",
  "document",
  "spoiler_text",
  "visibility",
  "is_draft",
  "story",
];

const inputs = fc.record<AppearanceInput>({
  caption: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc
      .array(
        fc.constantFrom(
          "see https://a.example/b?c=1,",
          "@ada",
          "#tag",
          "x.com/y",
          "\n",
          "🧑‍🚀",
          "word ",
          "$CASH ",
          "\ud83d",
        ),
        {
          maxLength: 40,
        },
      )
      .map((parts) => parts.join(" ")),
  ),
  options: fc.dictionary(fc.constantFrom(...OPTION_NAMES), fc.jsonValue() as fc.Arbitrary<JsonObject>, {
    noNullPrototype: true,
  }),
  media: fc.array(
    fc.record({
      type: fc.constantFrom("image", "video"),
      width: fc.option(fc.integer({ min: 0, max: 9000 })),
      height: fc.option(fc.integer({ min: 0, max: 9000 })),
    }),
    { maxLength: 4 },
  ),
  placement: fc.constantFrom(null, "reels", "timeline", "short", "long", "draft"),
});

const look = (adapter: Adapter, overrides: Partial<AppearanceInput>): PostAppearance =>
  adapter.appearance({ caption: "", options: {}, media: [], placement: null, ...overrides });

const marked = ({ text, marks }: PostAppearance) => marks.map(({ start, end }) => text.slice(start, end));

describe.each(adapters)("$platform", (adapter) => {
  test("whatever a form holds has an appearance", ({ expect }) => {
    fc.assert(
      fc.property(inputs, (input) => {
        const before = structuredClone(input);
        const { text, marks, media, cut } = adapter.appearance(input);
        expect(input).toEqual(before);
        expect(["", input.caption]).toContain(text);
        expect(media.ratio.min).toBeLessThanOrEqual(media.ratio.max);
        expect(cut === null || cut.label !== "").toBe(true);
        let end = 0;
        for (const mark of marks) {
          expect(mark.start).toBeGreaterThanOrEqual(end);
          expect(mark.end).toBeGreaterThan(mark.start);
          end = mark.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 150 },
    );
  });

  test("the longest text takes no noticeable time", ({ expect }) => {
    const { options, media } = sampleOf(adapter.platform).post;
    const start = performance.now();
    for (const word of ["a.b", "@a-", "#_", "https://a.example/x("]) {
      adapter.appearance({ caption: word.repeat(20_000), options, media, placement: null });
    }
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe("what a feed makes of a text", () => {
  const TEXT = "Read https://example.com/a, ask @ada about #launch. Or example.org";
  test.for([
    ["instagram", ["@ada", "#launch"]],
    ["tiktok", ["@ada", "#launch"]],
    ["youtube", ["https://example.com/a", "#launch"]],
    ["linkedin", ["https://example.com/a", "#launch"]],
    ["x", ["https://example.com/a", "@ada", "#launch", "example.org"]],
    ["facebook", ["https://example.com/a", "#launch"]],
    ["pinterest", []],
    ["threads", ["https://example.com/a", "@ada", "#launch"]],
    ["bluesky", ["https://example.com/a", "#launch", "example.org"]],
    ["mastodon", ["https://example.com/a", "@ada", "#launch"]],
  ] as const)("%s marks %j", ([platform, expected], { expect }) => {
    const adapter = adapters.find((one) => one.platform === platform);
    expect(adapter && marked(look(adapter, { caption: TEXT }))).toEqual(expected);
  });
});

describe("what belongs to one platform", () => {
  const lines = (platform: (typeof PLATFORMS)[number], overrides: Partial<AppearanceInput>) =>
    adapters.flatMap((adapter) => (adapter.platform === platform ? look(adapter, overrides).lines : []));

  const cards = (platform: (typeof PLATFORMS)[number], overrides: Partial<AppearanceInput>) =>
    adapters.flatMap((adapter) => (adapter.platform === platform ? (look(adapter, overrides).card ?? []) : []));

  test("a quote and boards are told in a line", ({ expect }) => {
    const quote = { quote_tweet_url: "https://x.com/ada/status/20" };
    expect(lines("x", { options: quote })).toEqual([{ kind: "quote", text: "Quotes https://x.com/ada/status/20" }]);
    expect(cards("x", { caption: "See https://example.com/a.", options: quote })).toEqual([]);
    expect(lines("pinterest", { options: { board_ids: ["1", "2"] } })[0]?.text).toBe("One pin on each of 2 boards");
  });

  test("a card has the title of the options, and none where the platform will read it from the page", ({ expect }) => {
    const card = { link_card: { uri: "https://example.com/a", title: "The release", description: "" } };
    expect(cards("bluesky", { options: card })).toEqual([
      { host: "example.com", title: "The release", description: null },
    ]);
    const article = { url: "https://example.com/a", title: "The release", description: "What is new" };
    expect(cards("linkedin", { options: { article } })).toEqual([
      { host: "example.com", title: "The release", description: "What is new" },
    ]);
    const caption = "See https://example.com/a.";
    const media = [{ type: "image", width: 10, height: 10 }] as const;
    for (const platform of ["x", "facebook", "threads", "mastodon"] as const) {
      expect(cards(platform, { caption })).toEqual([{ host: "example.com", title: null, description: null }]);
      expect(cards(platform, { caption, media })).toEqual([]);
    }
    for (const platform of ["linkedin", "bluesky", "instagram", "tiktok"] as const) {
      expect(cards(platform, { caption })).toEqual([]);
    }
  });

  test("a content warning hides the text, and a draft says that nothing is published", ({ expect }) => {
    const mastodon = adapters.find(({ platform }) => platform === "mastodon");
    const hidden = mastodon && look(mastodon, { caption: "The end", options: { spoiler_text: "Spoilers" } });
    expect(hidden).toMatchObject({ title: "Spoilers", cut: { characters: 0, label: "Show more" } });
    expect(lines("tiktok", { options: { is_draft: true } })[0]?.text).toContain("Nothing is published");
  });
});

test.for(["instagram", "facebook"] as const)(
  "a story at %s fills the screen and shows no caption",
  (platform, { expect }) => {
    const shown = look(adapterFor(platform)!, { caption: "Out of the kiln", options: { story: true } });
    expect(shown).toMatchObject({ format: "Story", text: "", media: { ratio: { min: 9 / 16, max: 9 / 16 } } });
  },
);
