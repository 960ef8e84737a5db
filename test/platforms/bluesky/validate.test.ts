import { describe, test } from "vitest";
import type { ValidationInput } from "#platforms/contract.ts";
import { bluesky } from "#platforms/bluesky/index.ts";
import { image, validationInput, video } from "../../support/adapter-inputs.ts";

const validate = (overrides: Partial<Omit<ValidationInput, "account">>) => bluesky.validate(validationInput(overrides));
const problems = (overrides: Partial<Omit<ValidationInput, "account">>) =>
  validate(overrides).problems.map(({ code, param }) => `${code} ${param}`);
const warnings = (overrides: Partial<Omit<ValidationInput, "account">>) =>
  validate(overrides).warnings.map(({ code }) => code);

const CARD = { uri: "https://a.example.com/", title: "A", description: "" };

describe("the text", () => {
  test("has 300 graphemes and 3000 bytes at most", ({ expect }) => {
    expect(problems({ caption: "é".repeat(300) })).toEqual([]);
    expect(problems({ caption: "é".repeat(301) })).toEqual(["caption_too_long caption"]);
    const family = "👨‍👩‍👧‍👦";
    expect(problems({ caption: family.repeat(120) })).toEqual([]);
    expect(validate({ caption: family.repeat(121) }).problems).toEqual([
      expect.objectContaining({ code: "caption_too_long", limit: 3000, actual: 3025 }),
    ]);
    expect(problems({ caption: family.repeat(301) })).toHaveLength(2);
  });

  test("may be empty only with media or a link card", ({ expect }) => {
    expect(problems({ caption: " " })).toEqual(["caption_required caption"]);
    expect(problems({ caption: "", options: { link_card: CARD } })).toEqual([]);
    expect(problems({ caption: "", media: [image()] })).toEqual([]);
  });
});

describe("media", () => {
  test("are four images or one video", ({ expect }) => {
    expect(problems({ media: [image(), image(), image(), image()] })).toEqual([]);
    expect(problems({ media: [image(), image(), image(), image(), image()] })).toEqual(["media_too_many media_items"]);
    expect(problems({ media: [video(), video()] })).toEqual(["media_too_many media_items"]);
    expect(problems({ media: [image(), video()] })).toEqual(["media_mixed media_items"]);
  });

  test("an image has two million bytes at most, and a warning above one million", ({ expect }) => {
    expect(warnings({ media: [image({ sizeBytes: 1_000_000 })] })).toEqual(["alt_text_missing"]);
    expect(warnings({ media: [image({ sizeBytes: 1_000_001 })] })).toEqual(["alt_text_missing", "media_near_limit"]);
    expect(problems({ media: [image({ sizeBytes: 2_000_001 })] })).toEqual(["media_too_large media_items[0]"]);
  });

  test("a video lasts 180 s at most, or as long as the operator sets", ({ expect }) => {
    const media = [video({ durationSeconds: 181 })];
    expect(problems({ media })).toEqual(["media_duration media_items[0]"]);
    expect(problems({ media, settings: { VIDEO_MAX_SECONDS: "600" } })).toEqual([]);
    const long = [video({ durationSeconds: 601 })];
    expect(problems({ media: long, settings: { VIDEO_MAX_SECONDS: "9000" } })).toEqual([
      "media_duration media_items[0]",
    ]);
    expect(problems({ media: [video({ sizeBytes: 300_000_001 })] })).toEqual(["media_too_large media_items[0]"]);
  });
});

describe("options", () => {
  test("three languages at most, as tags", ({ expect }) => {
    expect(problems({ options: { langs: ["en", "pt-BR", "zh-Hant-TW"] } })).toEqual([]);
    expect(problems({ options: { langs: ["en", "de", "fr", "es"] } })).toEqual([
      "option_invalid platform_options.langs",
    ]);
    expect(problems({ options: { langs: ["English"] } })).toEqual(["option_invalid platform_options.langs[0]"]);
  });

  test("descriptions are asked for and belong to media", ({ expect }) => {
    const media = [image(), image()];
    expect(warnings({ media })).toEqual(["alt_text_missing", "alt_text_missing"]);
    expect(warnings({ media, options: { alt_texts: ["A", ""] } })).toEqual(["alt_text_missing"]);
    expect(problems({ media: [image()], options: { alt_texts: ["A", "B"] } })).toEqual([
      "option_invalid platform_options.alt_texts",
    ]);
  });

  test("a link card goes without media", ({ expect }) => {
    expect(problems({ media: [image()], options: { link_card: CARD } })).toEqual([
      "option_conflict platform_options.link_card",
    ]);
    expect(problems({ options: { link_card: { ...CARD, uri: "javascript:alert(1)" } } })).toEqual([
      "option_invalid platform_options.link_card.uri",
    ]);
  });
});
