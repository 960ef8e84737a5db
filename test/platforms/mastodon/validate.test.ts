import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { validate } from "#platforms/mastodon/validate.ts";
import { image, validationInput, video } from "../../support/adapter-inputs.ts";

const CAPABILITIES: JsonObject = {
  software: "mastodon",
  maxCharacters: 5000,
  urlCharacters: 23,
  maxMedia: 2,
  contentTypes: ["image/jpeg", "image/heic", "image/gif", "video/mp4"],
  imageSizeLimit: 2000,
  videoSizeLimit: 4000,
  imagePixels: 2_000_000,
  videoPixels: 1_000_000,
  frameRate: 60,
  descriptionLimit: 10,
};

type Overrides = Parameters<typeof validationInput>[0];
const codes = (overrides: Overrides) =>
  validate(validationInput({ capabilities: CAPABILITIES, ...overrides })).problems.map(
    ({ code, param }) => `${code} ${param}`,
  );

describe("a text", () => {
  test("is limited by the account's server", ({ expect }) => {
    expect(codes({ caption: "a".repeat(5000) })).toEqual([]);
    expect(codes({ caption: "a".repeat(5001) })).toEqual(["caption_too_long caption"]);
    expect(codes({ caption: "a".repeat(501), capabilities: {} })).toEqual(["caption_too_long caption"]);
  });

  test("counts together with its content warning", ({ expect }) => {
    const over = { caption: "a".repeat(4990), options: { spoiler_text: "b".repeat(11) } };
    expect(codes(over)).toEqual(["caption_too_long caption"]);
  });

  test("is not needed beside a content warning or media", ({ expect }) => {
    expect(codes({ caption: " " })).toEqual(["caption_required caption"]);
    expect(codes({ caption: "", options: { spoiler_text: "careful" } })).toEqual([]);
    expect(codes({ caption: "", media: [image()] })).toEqual([]);
  });

  test("just below the limit is a warning", ({ expect }) => {
    const warnings = (length: number) =>
      validate(validationInput({ capabilities: {}, caption: "a".repeat(length) })).warnings.map(({ code }) => code);
    expect(warnings(495)).toEqual([]);
    expect(warnings(496)).toEqual(["caption_near_limit"]);
  });

  test("counts code points on other programs", ({ expect }) => {
    const capabilities = { ...CAPABILITIES, software: "other" };
    const caption = `https://example.com/${"a".repeat(100)}`;
    expect(validate(validationInput({ capabilities, caption })).captionLength).toBe(120);
    expect(validate(validationInput({ capabilities: CAPABILITIES, caption })).captionLength).toBe(23);
  });
});

describe("options", () => {
  test("visibility is public unless chosen", ({ expect }) => {
    expect(validate(validationInput()).options).toEqual({ visibility: "public" });
    expect(validate(validationInput({ options: { visibility: "direct" } })).options["visibility"]).toBe("direct");
    expect(codes({ options: { visibility: "friends" } })).toEqual(["option_invalid platform_options.visibility"]);
  });

  test.for(["en", "de", "zh-TW", "ast"])("%s is a language", (language, { expect }) => {
    expect(codes({ options: { language } })).toEqual([]);
  });

  test("a language is a code", ({ expect }) => {
    expect(codes({ options: { language: "German" } })).toEqual(["option_invalid platform_options.language"]);
  });

  test("descriptions belong to media and have the server's limit", ({ expect }) => {
    const media = [image(), image()];
    expect(codes({ media, options: { alt_texts: ["one", "two"] } })).toEqual([]);
    expect(codes({ media, options: { alt_texts: ["", "a".repeat(11)] } })).toEqual([
      "option_invalid platform_options.alt_texts[1]",
    ]);
    expect(codes({ media, options: { alt_texts: ["1", "2", "3"] } })).toEqual([
      "option_invalid platform_options.alt_texts",
    ]);
  });
});

describe("media", () => {
  const gif = image({ contentType: "image/gif", width: 960, height: 960, facts: { animated: true } });

  test("must be smaller than the server's limit", ({ expect }) => {
    expect(codes({ media: [image({ sizeBytes: 1999 })] })).toEqual([]);
    expect(codes({ media: [image({ sizeBytes: 2000 })] })).toEqual(["media_too_large media_items[0]"]);
    expect(codes({ media: [video({ sizeBytes: 3999 })] })).toEqual([]);
    expect(codes({ media: [video({ sizeBytes: 4000 })] })).toEqual(["media_too_large media_items[0]"]);
  });

  test("has the types of the server, but none that servers cannot decode", ({ expect }) => {
    expect(codes({ media: [image({ contentType: "image/png" })] })).toEqual(["media_type_unsupported media_items[0]"]);
    expect(codes({ media: [image({ contentType: "image/heic" })] })).toEqual(["media_type_unsupported media_items[0]"]);
  });

  test("has a limited number of pixels and frames", ({ expect }) => {
    expect(codes({ media: [image({ width: 2000, height: 1000 })] })).toEqual([]);
    expect(codes({ media: [image({ width: 2000, height: 1001 })] })).toEqual(["media_dimensions media_items[0]"]);
    expect(codes({ media: [video({ width: 1000, height: 1001 })] })).toEqual(["media_dimensions media_items[0]"]);
    expect(codes({ media: [video({ facts: { frameRate: 61 } })] })).toEqual(["media_frame_rate media_items[0]"]);
    expect(codes({ media: [gif] })).toEqual([]);
    expect(codes({ media: [{ ...gif, width: 961 }] })).toEqual(["media_dimensions media_items[0]"]);
  });

  test("is several images, or one GIF, or one video", ({ expect }) => {
    expect(codes({ media: [image(), image()] })).toEqual([]);
    expect(codes({ media: [image(), image(), image()] })).toEqual(["media_too_many media_items"]);
    expect(codes({ media: [gif, image()] })).toEqual(["media_mixed media_items"]);
    expect(codes({ media: [video(), image()] })).toEqual(["media_mixed media_items"]);
    expect(codes({ media: [video(), video()] })).toEqual(["media_too_many media_items"]);
  });
});
