import { describe, test } from "vitest";
import { validate } from "#platforms/youtube/validate.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

const options = { title: "A bowl" };
const videoMedia = (overrides: Parameters<typeof video>[0] = {}) => [video(overrides)];
const validated = (overrides: Parameters<typeof validationInput>[0] = {}) =>
  validate(validationInput({ media: videoMedia(), options, ...overrides }));
const codes = (overrides: Parameters<typeof validationInput>[0] = {}) =>
  validated(overrides).problems.map((problem) => problem.code);

describe("title", () => {
  test.for<[string, unknown, string[]]>([
    ["is required", undefined, ["option_required"]],
    ["must be a text", 12, ["option_invalid"]],
    ["must not be empty", "", ["option_invalid"]],
    ["must not be blank", " \n\u00a0", ["option_invalid"]],
    ["may have one character", "A", []],
    ["may have 100 characters", "a".repeat(100), []],
    ["must not have 101", "a".repeat(101), ["option_invalid"]],
    ["counts an emoji as two", "👍".repeat(51), ["option_invalid"]],
    ["must not contain <", "a < b", ["option_invalid"]],
    ["must not contain >", "a > b", ["option_invalid"]],
  ])("%s", ([, title, expected], { expect }) => {
    const { problems } = validated({ options: title === undefined ? {} : { title: title as string } });
    expect(problems.map((problem) => problem.code)).toEqual(expected);
    expect(problems.every((problem) => problem.param === "platform_options.title")).toBe(true);
  });
});

describe("made_for_kids", () => {
  test("is false by default and always set", ({ expect }) => {
    expect(validated().options).toEqual({ title: "A bowl", made_for_kids: false });
    expect(validated({ options: { ...options, made_for_kids: true } }).options).toMatchObject({ made_for_kids: true });
    expect(codes({ options: { ...options, made_for_kids: "yes" } })).toEqual(["option_invalid"]);
  });
});

describe("description", () => {
  test("is measured in bytes of UTF-8", ({ expect }) => {
    expect(validated({ caption: "é👍" })).toMatchObject({ captionLength: 6, captionLimit: 5000, problems: [] });
    expect(codes({ caption: "é".repeat(2500) })).toEqual([]);
    expect(validated({ caption: `${"é".repeat(2500)}a` }).problems).toEqual([
      expect.objectContaining({ code: "caption_too_long", param: "caption", limit: 5000, actual: 5001 }),
    ]);
  });

  test("may be empty and must not contain < or >", ({ expect }) => {
    expect(codes({ caption: "" })).toEqual([]);
    expect(codes({ caption: "1 < 2" })).toEqual(["caption_invalid"]);
    expect(codes({ caption: "2 > 1" })).toEqual(["caption_invalid"]);
  });
});

describe("media", () => {
  test("is exactly one video", ({ expect }) => {
    expect(codes({ media: [] })).toEqual(["media_required"]);
    expect(codes({ media: [image()] })).toContain("media_too_many");
    expect(codes({ media: [video(), video()] })).toContain("media_too_many");
    expect(codes({ media: [video(), image()] })).toContain("media_mixed");
  });

  test("longer than 15 minutes requires a channel with a verified phone number", ({ expect }) => {
    const validateDuration = (durationSeconds: number, longUploads: string | null) =>
      validated({ media: videoMedia({ durationSeconds }), capabilities: { longUploads } });
    for (const status of ["eligible", "disallowed"]) {
      expect(validateDuration(900, status).problems).toEqual([]);
      expect(validateDuration(901, status).problems).toEqual([
        expect.objectContaining({ code: "media_duration", param: "media_items[0]", limit: 900, actual: 901 }),
      ]);
    }
    expect(validateDuration(901, "allowed")).toMatchObject({ problems: [], warnings: [] });
    expect(validateDuration(901, null)).toMatchObject({ problems: [], warnings: [{ code: "media_duration" }] });
    expect(validateDuration(43_200, "allowed").problems).toEqual([]);
    expect(validateDuration(43_201, "allowed").problems).toEqual([expect.objectContaining({ code: "media_duration" })]);
  });
});

describe("placement", () => {
  test.for<[string, Parameters<typeof video>[0], string | null]>([
    ["vertical and three minutes", { width: 720, height: 1280, durationSeconds: 180 }, "short"],
    ["square", { width: 720, height: 720, durationSeconds: 30 }, "short"],
    ["vertical and longer", { width: 720, height: 1280, durationSeconds: 181 }, "long"],
    ["horizontal", { width: 1280, height: 720, durationSeconds: 10 }, "long"],
    ["horizontal of unknown length", { width: 1280, height: 720, durationSeconds: null }, "long"],
    ["long of unknown aspect ratio", { width: null, height: null, durationSeconds: 200 }, "long"],
    ["vertical of unknown length", { width: 720, height: 1280, durationSeconds: null }, null],
    ["unknown", { width: null, height: null, durationSeconds: null }, null],
  ])("%s", ([, overrides, placement], { expect }) => {
    expect(validated({ media: videoMedia(overrides) }).placement).toBe(placement);
  });

  test("warns that a Short of more than one minute can be blocked", ({ expect }) => {
    expect(validated({ media: videoMedia({ durationSeconds: 60 }) }).warnings).toEqual([]);
    expect(validated({ media: videoMedia({ durationSeconds: 61 }) }).warnings).toEqual([
      expect.objectContaining({ code: "short_over_a_minute" }),
    ]);
  });
});
