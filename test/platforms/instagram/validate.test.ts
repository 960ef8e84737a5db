import { describe, test } from "vitest";
import { instagram } from "#platforms/instagram/index.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

const reel = (overrides: Parameters<typeof video>[0] = {}) => video({ width: 1080, height: 1920, ...overrides });
const problems = (overrides: Parameters<typeof validationInput>[0]) =>
  instagram
    .validate(validationInput({ media: [image()], ...overrides }))
    .problems.map(({ code, param }) => `${code} ${param}`);

describe("placement is set automatically", () => {
  test("reels for a video, timeline for images", ({ expect }) => {
    expect(instagram.validate(validationInput({ media: [reel()] }))).toMatchObject({
      placement: "reels",
      options: { placement: "reels", share_to_feed: true, trial_reel_type: null },
    });
    expect(instagram.validate(validationInput({ media: [image(), image()] }))).toMatchObject({ placement: "timeline" });
    expect(instagram.validate(validationInput({ media: [image()] })).options).toEqual({
      placement: "timeline",
      trial_reel_type: null,
    });
  });

  test("reels cannot contain images or several items", ({ expect }) => {
    const conflict = ["option_conflict platform_options.placement"];
    expect(problems({ options: { placement: "reels" } })).toEqual(conflict);
    expect(problems({ options: { placement: "reels" }, media: [reel(), reel()] })).toEqual(conflict);
    expect(problems({ options: { placement: "timeline" }, media: [reel()] })).toEqual([]);
    expect(problems({ options: { placement: "story" } })).toEqual(["option_invalid platform_options.placement"]);
  });
});

describe("trial reels", () => {
  test.for(["manual", "performance"])("%s is for a single video", (type, { expect }) => {
    const options = { trial_reel_type: type };
    expect(problems({ options, media: [reel()] })).toEqual([]);
    expect(problems({ options })).toEqual(["option_conflict platform_options.trial_reel_type"]);
    expect(problems({ options, media: [reel(), reel()] })).toEqual([
      "option_conflict platform_options.trial_reel_type",
    ]);
  });

  test.for<[requested: boolean | null | undefined, warnings: number]>([
    [true, 1],
    [undefined, 1],
    [null, 1],
    [false, 0],
  ])("are never shared to the feed: asked for %s", async ([shareToFeed, count], { expect }) => {
    const options = {
      trial_reel_type: "manual",
      ...(shareToFeed !== undefined && { share_to_feed: shareToFeed }),
    };
    const {
      options: shown,
      problems: found,
      warnings,
    } = instagram.validate(validationInput({ media: [reel()], options }));
    expect([shown["share_to_feed"], found, warnings.map(({ code }) => code)]).toEqual([
      false,
      [],
      Array.from({ length: count }, () => "option_ignored"),
    ]);
  });

  test("of an account with few followers are warned of: Instagram names no number", ({ expect }) => {
    const trial = { options: { trial_reel_type: "manual", share_to_feed: false }, media: [reel()] };
    const withFollowers = (followersCount: number) =>
      instagram.validate(validationInput({ ...trial, capabilities: { followersCount } }));
    expect(withFollowers(999)).toMatchObject({ problems: [], warnings: [{ code: "account_not_eligible" }] });
    expect(withFollowers(1000)).toMatchObject({ problems: [], warnings: [] });
  });
});

describe("share_to_feed", () => {
  test("applies to reels only: elsewhere it is removed with a warning", ({ expect }) => {
    expect(
      instagram.validate(validationInput({ media: [reel()], options: { share_to_feed: false } })).options,
    ).toMatchObject({
      share_to_feed: false,
    });
    const forImage = instagram.validate(validationInput({ media: [image()], options: { share_to_feed: true } }));
    expect(forImage).toMatchObject({ problems: [], warnings: [{ code: "option_ignored" }] });
    expect(forImage.options).not.toHaveProperty("share_to_feed");
  });
});

describe("caption", () => {
  test("hashtags and mentions are counted", ({ expect }) => {
    const tags = (count: number) => Array.from({ length: count }, (_, index) => `#tag${index}`).join(" ");
    expect(problems({ caption: tags(30) })).toEqual([]);
    expect(problems({ caption: tags(31) })).toEqual(["too_many_hashtags caption"]);
    expect(problems({ caption: "@a ".repeat(20) })).toEqual([]);
    expect(problems({ caption: "@a ".repeat(21) })).toEqual(["too_many_mentions caption"]);
    expect(problems({ caption: "mail a@b.c ".repeat(30) })).toEqual([]);
    expect(instagram.validate(validationInput({ media: [image()], caption: tags(6) })).warnings).toMatchObject([
      { code: "many_hashtags" },
    ]);
    expect(instagram.validate(validationInput({ media: [image()], caption: "@a ".repeat(4) })).warnings).toMatchObject([
      { code: "many_mentions" },
    ]);
    const few = `${tags(5)} ${"@a ".repeat(3)}`;
    expect(instagram.validate(validationInput({ media: [image()], caption: few })).warnings).toEqual([]);
  });
});

describe("media", () => {
  test("is required, at most ten items, JPEG only", ({ expect }) => {
    expect(problems({ media: [] })).toEqual(["media_required media_items"]);
    expect(problems({ media: [...Array(5).fill(image()), ...Array(5).fill(reel())] })).toEqual([]);
    expect(problems({ media: [...Array(6).fill(image()), ...Array(5).fill(reel())] })).toEqual([
      "media_too_many media_items",
    ]);
    expect(problems({ media: [image({ contentType: "image/png" })] })).toEqual([
      "media_type_unsupported media_items[0]",
    ]);
  });

  test("ratios outside 9:16 to 1.91:1 are problems, taller than 4:5 is a warning", ({ expect }) => {
    expect(problems({ media: [image({ width: 1000, height: 2000 })] })).toEqual(["media_aspect_ratio media_items[0]"]);
    expect(problems({ media: [image({ width: 2000, height: 1000 })] })).toEqual(["media_aspect_ratio media_items[0]"]);
    const tall = instagram.validate(validationInput({ media: [image({ width: 1000, height: 1500 })] }));
    expect(tall).toMatchObject({ problems: [], warnings: [{ code: "media_aspect_ratio" }] });
    expect(instagram.validate(validationInput({ media: [image(), image({ height: 1080 })] })).warnings).toMatchObject([
      { code: "media_cropped" },
    ]);
  });

  test("the duration and frame rate of a reel", ({ expect }) => {
    expect(problems({ media: [reel({ durationSeconds: 2.9 })] })).toEqual(["media_duration media_items[0]"]);
    expect(problems({ media: [reel({ durationSeconds: 901 })] })).toEqual(["media_duration media_items[0]"]);
    expect(problems({ media: [reel({ facts: { frameRate: 15 } })] })).toEqual(["media_frame_rate media_items[0]"]);
  });
});
