import { describe, test } from "vitest";
import { linkedin } from "#platforms/linkedin/index.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

const clip = (overrides: Parameters<typeof video>[0] = {}) => video({ sizeBytes: 1_000_000, ...overrides });
const codes = (overrides: Parameters<typeof validationInput>[0]) =>
  linkedin.validate(validationInput(overrides)).problems.map(({ code }) => code);

describe("caption", () => {
  test("3000 characters pass, 3001 do not", ({ expect }) => {
    expect(codes({ caption: "a".repeat(3000) })).toEqual([]);
    expect(linkedin.validate(validationInput({ caption: "a".repeat(3001) })).problems).toEqual([
      expect.objectContaining({ code: "caption_too_long", param: "caption", limit: 3000, actual: 3001 }),
    ]);
  });

  test("is counted in UTF-16 units", ({ expect }) => {
    expect(linkedin.validate(validationInput({ caption: "👍" })).captionLength).toBe(2);
  });

  test("is counted with its escapes, or without where the operator says so", ({ expect }) => {
    const validate = (count: number, settings = {}) =>
      linkedin.validate(validationInput({ caption: "(".repeat(count), settings }));
    expect(validate(1500)).toMatchObject({ captionLength: 3000, problems: [], warnings: [] });
    expect(validate(1501)).toMatchObject({
      captionLength: 3002,
      problems: [{ code: "caption_too_long", limit: 3000, actual: 3002 }],
    });
    const visible = validate(1501, { CAPTION_COUNT: "visible" });
    expect(visible).toMatchObject({ captionLength: 1501, problems: [] });
    expect(visible.warnings.map(({ code }) => code)).toEqual(["caption_near_limit"]);
    expect(validate(3001, { CAPTION_COUNT: "visible" }).problems).toMatchObject([
      { code: "caption_too_long", actual: 3001 },
    ]);
  });

  test("is required where there is no media", ({ expect }) => {
    expect(codes({ caption: " \n" })).toEqual(["caption_required"]);
    expect(codes({ caption: "", media: [image()] })).toEqual([]);
  });
});

describe("media", () => {
  test("20 images pass, 21 do not", ({ expect }) => {
    expect(codes({ media: Array.from({ length: 20 }, () => image()) })).toEqual([]);
    expect(codes({ media: Array.from({ length: 21 }, () => image()) })).toEqual(["media_too_many"]);
  });

  test("a post contains one video and nothing else", ({ expect }) => {
    expect(codes({ media: [clip()] })).toEqual([]);
    expect(codes({ media: [clip(), clip()] })).toEqual(["media_too_many"]);
    expect(codes({ media: [clip(), image()] })).toEqual(["media_mixed"]);
  });

  test.for<[string, Parameters<typeof image>[0], string[]]>([
    ["PNG", { contentType: "image/png" }, []],
    ["WebP", { contentType: "image/webp" }, ["media_type_unsupported"]],
    ["GIF of 250 frames", { contentType: "image/gif", facts: { frames: 250 } }, []],
    ["GIF of 251 frames", { contentType: "image/gif", facts: { frames: 251 } }, ["media_frames"]],
    ["8 MB", { sizeBytes: 8_000_000 }, []],
    ["8 MB and a byte", { sizeBytes: 8_000_001 }, ["media_too_large"]],
    ["36,152,319 pixels", { width: 36_152_319, height: 1 }, []],
    ["36,152,320 pixels", { width: 36_152_320, height: 1 }, ["media_dimensions"]],
  ])("an image: %s", ([, overrides, expected], { expect }) => {
    expect(codes({ media: [image(overrides)] })).toEqual(expected);
  });

  test.for<[string, Parameters<typeof video>[0], string[]]>([
    ["3 s", { durationSeconds: 3 }, []],
    ["2.9 s", { durationSeconds: 2.9 }, ["media_duration"]],
    ["30 minutes", { durationSeconds: 1800 }, []],
    ["30 minutes and a second", { durationSeconds: 1801 }, ["media_duration"]],
    ["75 KB", { sizeBytes: 75_000 }, []],
    ["a byte less", { sizeBytes: 74_999 }, ["media_too_small"]],
    ["500 MB", { sizeBytes: 500_000_000 }, []],
    ["a byte more", { sizeBytes: 500_000_001 }, ["media_too_large"]],
    ["QuickTime", { contentType: "video/quicktime" }, ["media_type_unsupported"]],
  ])("a video: %s", ([, overrides, expected], { expect }) => {
    expect(codes({ media: [clip(overrides)] })).toEqual(expected);
  });

  test("an extreme aspect ratio is a warning", ({ expect }) => {
    const validation = linkedin.validate(validationInput({ media: [clip({ width: 2500, height: 1000 })] }));
    expect(validation.problems).toEqual([]);
    expect(validation.warnings.map(({ code }) => code)).toEqual(["media_aspect_ratio"]);
  });
});
