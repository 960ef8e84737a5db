import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { pinterest } from "#platforms/pinterest/index.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

type Overrides = Parameters<typeof validationInput>[0] & { readonly extraOptions?: JsonObject };

function validatePost({ extraOptions, ...overrides }: Overrides = {}) {
  return pinterest.validate(
    validationInput({ media: [image()], options: { board_ids: ["1"], ...extraOptions }, ...overrides }),
  );
}

const codes = (overrides?: Overrides) => validatePost(overrides).problems.map(({ code }) => code);
const params = (overrides?: Overrides) => validatePost(overrides).problems.map(({ param }) => param);
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
const verticalVideo = (overrides: Parameters<typeof video>[0] = {}) =>
  video({ width: 1080, height: 1920, ...overrides });

describe("description", () => {
  test("800 code points pass, 801 do not, 501 cause a warning", ({ expect }) => {
    expect(codes({ caption: "👍".repeat(800) })).toEqual([]);
    expect(validatePost({ caption: "👍".repeat(801) }).problems).toEqual([
      expect.objectContaining({ code: "caption_too_long", limit: 800, actual: 801 }),
    ]);
    expect(validatePost({ caption: "a".repeat(500) }).warnings).toEqual([]);
    expect(validatePost({ caption: "a".repeat(501) }).warnings.map(({ code }) => code)).toEqual(["caption_may_be_cut"]);
  });
});

describe("options", () => {
  test("board ids are required, numeric, at most ten, and each is used once in the given order", ({ expect }) => {
    expect(validatePost({ options: {} }).problems).toMatchObject([
      { code: "option_required", param: "platform_options.board_ids" },
    ]);
    expect(params({ extraOptions: { board_ids: [] } })).toEqual(["platform_options.board_ids"]);
    expect(params({ extraOptions: { board_ids: ["1", "abc"] } })).toEqual(["platform_options.board_ids[1]"]);
    expect(codes({ extraOptions: { board_ids: ids(10) } })).toEqual([]);
    expect(params({ extraOptions: { board_ids: ids(11) } })).toEqual(["platform_options.board_ids"]);
    const validation = validatePost({ extraOptions: { board_ids: ["3", "1", "3", "2", "1"] } });
    expect(validation.problems).toEqual([]);
    expect(validation.options["board_ids"]).toEqual(["3", "1", "2"]);
    expect(codes({ extraOptions: { board_ids: [...ids(10), ...ids(10)] } })).toEqual([]);
  });

  test("a board that the current list does not contain is reported", ({ expect }) => {
    const capabilities = { boards: ["1", "2"] };
    expect(codes({ capabilities, extraOptions: { board_ids: ["2", "1"] } })).toEqual([]);
    expect(validatePost({ capabilities, extraOptions: { board_ids: ["2", "9"] } }).problems).toMatchObject([
      { code: "board_not_found", param: "platform_options.board_ids[1]" },
    ]);
  });

  test("a title has up to 100 code points", ({ expect }) => {
    expect(codes({ extraOptions: { title: "👍".repeat(100) } })).toEqual([]);
    expect(params({ extraOptions: { title: "a".repeat(101) } })).toEqual(["platform_options.title"]);
  });

  test("a link is an absolute http or https URL of up to 2048 characters", ({ expect }) => {
    const long = (length: number) => `https://example.com/${"a".repeat(length - 20)}`;
    for (const link of ["https://example.com", "http://example.com/a?b=c#d", long(2048)]) {
      expect(codes({ extraOptions: { link } }), link).toEqual([]);
    }
    for (const link of ["", "example.com", "/a", "javascript:alert(1)", "ftp://example.com", "https:a", long(2049)]) {
      expect(new Set(params({ extraOptions: { link } })), link).toEqual(new Set(["platform_options.link"]));
    }
  });
});

describe("media", () => {
  test("at least one item is required", ({ expect }) => {
    expect(codes({ media: [] })).toEqual(["media_required"]);
  });

  test("five images of the same size pass; six, or different sizes, do not", ({ expect }) => {
    expect(codes({ media: ids(5).map(() => image()) })).toEqual([]);
    expect(codes({ media: ids(6).map(() => image()) })).toEqual(["media_too_many"]);
    const differentSizes = [image(), image({ width: null, height: null }), image({ width: 1000 })];
    expect(validatePost({ media: differentSizes }).problems).toMatchObject([
      { code: "media_dimensions", param: "media_items[2]" },
    ]);
  });

  test("one video passes, with at most one image as its cover", ({ expect }) => {
    expect(codes({ media: [verticalVideo()] })).toEqual([]);
    expect(codes({ media: [verticalVideo(), image()] })).toEqual([]);
    expect(codes({ media: [image(), verticalVideo()] })).toEqual([]);
    expect(codes({ media: [verticalVideo(), image(), image()] })).toEqual(["media_mixed"]);
    expect(codes({ media: [verticalVideo(), verticalVideo()] })).toEqual(["media_too_many"]);
  });

  test.for<[string, Parameters<typeof image>[0], string[]]>([
    ["PNG", { contentType: "image/png" }, []],
    ["WebP", { contentType: "image/webp" }, []],
    ["GIF", { contentType: "image/gif" }, ["media_type_unsupported"]],
    ["20 MB", { sizeBytes: 20_000_000 }, []],
    ["a byte more", { sizeBytes: 20_000_001 }, ["media_too_large"]],
  ])("an image: %s", ([, overrides, expected], { expect }) => {
    expect(codes({ media: [image(overrides)] })).toEqual(expected);
  });

  test.for<[string, Parameters<typeof video>[0], string[]]>([
    ["4 s", { durationSeconds: 4 }, []],
    ["3.9 s", { durationSeconds: 3.9 }, ["media_duration"]],
    ["15 minutes", { durationSeconds: 900 }, []],
    ["15 minutes and a second", { durationSeconds: 901 }, ["media_duration"]],
    ["1 GiB, the most that is stored", { sizeBytes: 1024 ** 3 }, []],
    ["a byte more", { sizeBytes: 2_000_000_001 }, ["media_too_large"]],
    ["1:2", { width: 500, height: 1000 }, []],
    ["taller", { width: 480, height: 1000 }, ["media_aspect_ratio"]],
    ["1.91:1", { width: 1910, height: 1000 }, []],
    ["wider", { width: 1930, height: 1000 }, ["media_aspect_ratio"]],
    ["QuickTime, H.265", { contentType: "video/quicktime", facts: { videoCodec: "hevc" } }, []],
    ["VP9", { facts: { videoCodec: "vp9" } }, ["media_codec"]],
    ["WebM", { contentType: "video/webm" }, ["media_type_unsupported"]],
  ])("a video: %s", ([, overrides, expected], { expect }) => {
    expect(codes({ media: [verticalVideo(overrides)] })).toEqual(expected);
  });

  test("WebP and small images cause a warning", ({ expect }) => {
    const { warnings } = validatePost({ media: [image({ contentType: "image/webp", width: 199, height: 300 })] });
    expect(warnings.map(({ code }) => code)).toEqual(["media_type_uncertain", "media_small"]);
  });
});
