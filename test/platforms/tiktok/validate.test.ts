import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { validate } from "#platforms/tiktok/validate.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

const PUBLIC = { privacyLevels: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] };
const PRIVATE = { privacyLevels: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] };
const DEFAULTS = {
  privacy_status: "public",
  allow_comment: true,
  allow_duet: true,
  allow_stitch: true,
  is_ai_generated: false,
  disclose_your_brand: false,
  disclose_branded_content: false,
  is_draft: false,
};
const validated = (overrides: Parameters<typeof validationInput>[0] = {}) =>
  validate(validationInput({ media: [video()], settings: { AUDITED: "true" }, ...overrides }));
const codes = (overrides: Parameters<typeof validationInput>[0] = {}) =>
  validated(overrides).problems.map((problem) => problem.code);
const warningCodes = (overrides: Parameters<typeof validationInput>[0] = {}) =>
  validated(overrides).warnings.map((warning) => warning.code);
const photo = image({ width: 1080, height: 1920 });

describe("options", () => {
  test("have the product's defaults", ({ expect }) => {
    expect(validated({ capabilities: PUBLIC })).toMatchObject({
      options: DEFAULTS,
      placement: null,
      problems: [],
      warnings: [],
    });
  });

  test.for<[string, JsonObject]>([
    ["privacy_status", { privacy_status: "everyone" }],
    ["allow_comment", { allow_comment: "no" }],
    ["allow_duet", { allow_duet: 1 }],
    ["allow_stitch", { allow_stitch: "no" }],
    ["is_ai_generated", { is_ai_generated: "yes" }],
    ["is_draft", { is_draft: "true" }],
    ["disclose_your_brand", { disclose_your_brand: "yes" }],
    ["disclose_branded_content", { disclose_branded_content: 1 }],
    ["title", { title: 7 }],
  ])("%s with a wrong type or value is reported", ([name, options], { expect }) => {
    expect(validated({ options }).problems).toEqual([
      expect.objectContaining({ code: "option_invalid", param: `platform_options.${name}` }),
    ]);
  });

  test("null means not set: the default applies", ({ expect }) => {
    const requested = { allow_stitch: null, privacy_status: null, disclose_branded_content: null };
    const { options, problems } = validated({ options: requested });
    expect(problems).toEqual([]);
    expect(options).toMatchObject({ allow_stitch: true, privacy_status: "public", disclose_branded_content: false });
  });

  test("a title is for images: up to 90 characters, an emoji counts as two", ({ expect }) => {
    const validateTitle = (title: string) => codes({ media: [photo], options: { title } });
    expect(validateTitle("a".repeat(90))).toEqual([]);
    expect(validateTitle("👍".repeat(45))).toEqual([]);
    expect(validateTitle("a".repeat(91))).toEqual(["option_invalid"]);
    expect(validateTitle(`${"👍".repeat(45)}a`)).toEqual(["option_invalid"]);
    expect(validated({ options: { title: "a".repeat(200) } })).toMatchObject({
      problems: [],
      warnings: [{ code: "option_ignored" }],
    });
  });
});

describe("privacy", () => {
  test.for<[string, JsonObject, string, string[]]>([
    ["a public account may post publicly", PUBLIC, "public", []],
    ["a public account may post privately", PUBLIC, "private", []],
    ["a private account may not post publicly", PRIVATE, "public", ["option_not_allowed"]],
    ["a private account may post privately", PRIVATE, "private", []],
    ["a private account may post to its followers", PRIVATE, "followers", []],
    ["a private account may post to its friends", PRIVATE, "friends", []],
    ["a public account may post to its friends", PUBLIC, "friends", []],
    ["a public account may not post to its followers only", PUBLIC, "followers", ["option_not_allowed"]],
    [
      "an account that may post to friends only",
      { privacyLevels: ["MUTUAL_FOLLOW_FRIENDS"] },
      "private",
      ["option_not_allowed"],
    ],
    ["no capabilities are stored", {}, "public", []],
  ])("%s", ([, capabilities, status, expected], { expect }) => {
    const { problems } = validated({ capabilities, options: { privacy_status: status } });
    expect(problems.map((problem) => problem.code)).toEqual(expected);
    expect(problems.every((problem) => problem.param === "platform_options.privacy_status")).toBe(true);
  });

  test("the default is public too", ({ expect }) => {
    expect(codes({ capabilities: PRIVATE })).toEqual(["option_not_allowed"]);
  });

  test.for<Record<string, string>>([{}, { AUDITED: "false" }, { AUDITED: "yes" }])(
    "with the settings %j the app is unaudited: private posts of private accounts only",
    (settings, { expect }) => {
      const privately = { privacy_status: "private" };
      expect(codes({ settings })).toEqual(["option_not_allowed"]);
      expect(codes({ settings, capabilities: PRIVATE })).toEqual(["option_not_allowed"]);
      const forFriends = { privacy_status: "friends" };
      expect(codes({ settings, capabilities: PRIVATE, options: forFriends })).toEqual(["option_not_allowed"]);
      expect(validated({ settings, capabilities: PUBLIC }).problems).toMatchObject([
        {
          code: "option_not_allowed",
          param: "platform_options.privacy_status",
          message: expect.stringContaining("SELF_ONLY") as string,
        },
        { code: "account_not_eligible", param: "account_id" },
      ]);
      expect(codes({ settings, capabilities: PUBLIC, options: privately })).toEqual(["account_not_eligible"]);
      expect(codes({ settings, capabilities: PRIVATE, options: privately })).toEqual([]);
      expect(codes({ settings, capabilities: PUBLIC, options: { is_draft: true } })).toEqual([]);
    },
  );
});

describe("disclosure of commercial content", () => {
  test("branded content cannot be private", ({ expect }) => {
    const options = { disclose_branded_content: true, privacy_status: "private" };
    expect(validated({ capabilities: PUBLIC, options }).problems).toEqual([
      expect.objectContaining({ code: "option_conflict", param: "platform_options.disclose_branded_content" }),
    ]);
    expect(codes({ capabilities: PUBLIC, options: { disclose_branded_content: true } })).toEqual([]);
    expect(codes({ capabilities: PUBLIC, options: { ...options, privacy_status: "friends" } })).toEqual([]);
    expect(codes({ capabilities: PUBLIC, options: { ...options, disclose_branded_content: false } })).toEqual([]);
    expect(codes({ capabilities: PUBLIC, options: { disclose_your_brand: true, privacy_status: "private" } })).toEqual(
      [],
    );
  });

  test("is ignored in drafts", ({ expect }) => {
    const options = { is_draft: true, disclose_branded_content: true, privacy_status: "private" };
    expect(validated({ options })).toMatchObject({
      problems: [],
      warnings: [
        { code: "option_ignored", message: expect.stringContaining("disclose_branded_content") as string },
        {},
        {},
      ],
    });
  });
});

describe("the creator's settings", () => {
  const capabilities = {
    ...PUBLIC,
    creatorUsername: "ada_moves",
    creatorName: "Ada",
    creatorAvatarUrl: "https://p.example.com/a",
    commentDisabled: false,
    duetDisabled: true,
    stitchDisabled: false,
    maxVideoSeconds: 180,
  };
  const creator = {
    name: "Ada",
    avatarUrl: "https://p.example.com/a",
    privacyOptions: PUBLIC.privacyLevels,
    commentAllowed: true,
    duetAllowed: false,
    stitchAllowed: true,
    maxVideoSeconds: 180,
  };

  test("are shown as TikTok told them", ({ expect }) => {
    expect(validated({ capabilities }).creator).toEqual(creator);
  });

  test("without an audit offer only SELF_ONLY", ({ expect }) => {
    const { privacyOptions } = validated({ capabilities, settings: {} }).creator ?? {};
    expect(privacyOptions).toEqual(["SELF_ONLY"]);
  });

  test("without a nickname the user name is shown, and nothing while nothing is known", ({ expect }) => {
    const unnamed = validated({ capabilities: { ...PRIVATE, creatorUsername: "ada_moves", creatorName: null } });
    expect(unnamed.creator).toMatchObject({ name: "ada_moves", avatarUrl: null, maxVideoSeconds: null });
    expect(validated({ capabilities: {} }).creator).toBeUndefined();
  });
});

describe("options that the account has disabled", () => {
  const off = { ...PUBLIC, commentDisabled: true, duetDisabled: true, stitchDisabled: true };

  test("stay disabled and cause a warning", ({ expect }) => {
    expect(warningCodes({ capabilities: off })).toEqual(Array(3).fill("option_not_allowed"));
    expect(
      warningCodes({ capabilities: off, options: { allow_comment: false, allow_duet: false, allow_stitch: false } }),
    ).toEqual([]);
    expect(warningCodes({ capabilities: off, media: [photo] })).toEqual(["option_not_allowed"]);
  });

  test("an account that cannot post at the moment causes a warning", ({ expect }) => {
    expect(validated({ capabilities: { ...PUBLIC, refusal: "No more posts today." } }).warnings).toEqual([
      { code: "account_not_eligible", message: "No more posts today." },
    ]);
  });
});

describe("images", () => {
  test("cannot be labelled as made by AI", ({ expect }) => {
    expect(codes({ media: [photo], options: { is_ai_generated: true } })).toEqual(["option_conflict"]);
    expect(codes({ options: { is_ai_generated: true } })).toEqual([]);
  });

  test("have no duets and stitches", ({ expect }) => {
    expect(warningCodes({ media: [photo], options: { allow_duet: false } })).toEqual(["option_ignored"]);
    expect(warningCodes({ media: [photo] })).toEqual([]);
  });

  test("are JPEG or WebP up to 1080p, in either orientation", ({ expect }) => {
    const validateImage = (overrides: Parameters<typeof image>[0]) => codes({ media: [image(overrides)] });
    expect(validateImage({ contentType: "image/webp" })).toEqual([]);
    expect(validateImage({ contentType: "image/png" })).toEqual(["media_type_unsupported"]);
    expect(validateImage({ width: 1080, height: 1920 })).toEqual([]);
    expect(validateImage({ width: 1920, height: 1080 })).toEqual([]);
    expect(validateImage({ width: 1081, height: 1920 })).toEqual(["media_dimensions"]);
    expect(validateImage({ width: 1080, height: 1921 })).toEqual(["media_dimensions"]);
    expect(validateImage({ width: 1081, height: 1081 })).toEqual(["media_dimensions"]);
    expect(validateImage({ width: null, height: null })).toEqual([]);
  });

  test("are one to thirty-five", ({ expect }) => {
    expect(codes({ media: Array.from({ length: 35 }, () => photo) })).toEqual([]);
    expect(codes({ media: Array.from({ length: 36 }, () => photo) })).toEqual(["media_too_many"]);
    expect(codes({ media: [] })).toEqual(["media_required"]);
    expect(codes({ media: [photo, video()] })).toContain("media_mixed");
  });
});

describe("captions", () => {
  test("of videos have 2200 UTF-16 units, of images 4000", ({ expect }) => {
    expect(validated({ caption: "👍".repeat(1100) })).toMatchObject({
      captionLength: 2200,
      captionLimit: 2200,
      problems: [],
    });
    expect(codes({ caption: `${"👍".repeat(1100)}a` })).toEqual(["caption_too_long"]);
    expect(validated({ media: [photo], caption: "a".repeat(4000) })).toMatchObject({
      captionLimit: 4000,
      problems: [],
    });
    expect(codes({ media: [photo], caption: "a".repeat(4001) })).toEqual(["caption_too_long"]);
  });
});

describe("videos", () => {
  test.for<[string, Parameters<typeof video>[0], string[]]>([
    ["three seconds", { durationSeconds: 3 }, []],
    ["shorter", { durationSeconds: 2.8 }, ["media_duration"]],
    ["ten minutes", { durationSeconds: 600 }, []],
    ["longer", { durationSeconds: 601 }, ["media_duration"]],
    ["360 wide", { width: 360, height: 640 }, []],
    ["359 wide", { width: 359, height: 640 }, ["media_dimensions"]],
    ["4096 high", { width: 2304, height: 4096 }, []],
    ["4097 high", { width: 2304, height: 4097 }, ["media_dimensions"]],
    ["23 frames", { facts: { frameRate: 23 } }, []],
    ["22 frames", { facts: { frameRate: 22 } }, ["media_frame_rate"]],
    ["61 frames", { facts: { frameRate: 61 } }, ["media_frame_rate"]],
    ["WebM with VP9", { contentType: "video/webm", facts: { videoCodec: "vp9" } }, []],
    ["AV1", { facts: { videoCodec: "av1" } }, ["media_codec"]],
  ])("%s", ([, overrides, expected], { expect }) => {
    expect(codes({ media: [video(overrides)] })).toEqual(expected);
  });

  test("are limited to the account's maximum duration", ({ expect }) => {
    const validateDuration = (durationSeconds: number) =>
      codes({ media: [video({ durationSeconds })], capabilities: { ...PUBLIC, maxVideoSeconds: 180 } });
    expect(validateDuration(180)).toEqual([]);
    expect(validateDuration(181)).toEqual(["media_duration"]);
  });

  test("that are very wide cause a warning", ({ expect }) => {
    expect(warningCodes({ media: [video({ width: 2000, height: 800 })] })).toEqual(["media_aspect_ratio"]);
    expect(warningCodes({ media: [video({ width: 1920, height: 1080 })] })).toEqual([]);
  });
});

describe("drafts", () => {
  test("ignore the settings and warn that nothing is posted", ({ expect }) => {
    const validation = validated({ options: { is_draft: true }, capabilities: PRIVATE });
    expect(validation).toMatchObject({ placement: "draft", problems: [] });
    expect(validation.warnings.map((warning) => warning.code)).toEqual(["draft_unfinished", "caption_lost"]);
    const requested = { is_draft: true, privacy_status: "private", is_ai_generated: true };
    expect(warningCodes({ media: [photo], options: requested })).toEqual(["option_ignored", "draft_unfinished"]);
  });

  test.for([
    [{}, "TIKTOK_SCOPES"],
    [{ SCOPES: "video.upload" }, "connect the account again"],
  ] as const)("a refused draft says what to do: %j", ([settings, advice], { expect }) => {
    const { problems } = validated({ settings, options: { is_draft: true }, capabilities: { mayDraft: false } });
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining(advice) as string })]);
  });

  test("require the scope for drafts", ({ expect }) => {
    expect(validated({ options: { is_draft: true }, capabilities: { mayDraft: false } }).problems).toEqual([
      expect.objectContaining({ code: "account_not_eligible", param: "platform_options.is_draft" }),
    ]);
    expect(codes({ options: { is_draft: true }, capabilities: { mayDraft: true } })).toEqual([]);
    expect(codes({ capabilities: { mayDraft: false } })).toEqual([]);
  });
});
