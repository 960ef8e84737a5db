import { describe, test } from "vitest";
import { x } from "#platforms/x/index.ts";
import { parseQuotedPost } from "#platforms/x/options.ts";
import { validationInput, image, video } from "../../support/adapter-inputs.ts";

const problems = (overrides: Parameters<typeof validationInput>[0]) =>
  x.validate(validationInput(overrides)).problems.map(({ code, param }) => `${code} ${param}`);

describe("options", () => {
  test("defaults are filled in", ({ expect }) => {
    expect(x.validate(validationInput()).options).toEqual({ reply_settings: null });
  });

  test.for(["following", "mentionedUsers", "subscribers", "verified", null])(
    "reply_settings takes %s",
    (value, { expect }) => {
      expect(problems({ options: { reply_settings: value } })).toEqual([]);
    },
  );

  test.for(["everyone", "", 1, true, []])("reply_settings refuses %s", (value, { expect }) => {
    expect(problems({ options: { reply_settings: value } })).toEqual([
      "option_invalid platform_options.reply_settings",
    ]);
  });

  test.for<[string, string, string]>([
    ["1900000000000000099", "1900000000000000099", "https://x.com/i/status/1900000000000000099"],
    ["https://x.com/jack/status/20", "20", "https://x.com/jack/status/20"],
    ["https://twitter.com/jack/statuses/20?s=20", "20", "https://x.com/jack/status/20"],
    ["https://mobile.twitter.com/i/web/status/20", "20", "https://x.com/i/status/20"],
    ["http://www.x.com/jack/status/20/photo/1", "20", "https://x.com/jack/status/20"],
  ])("%s is a post reference", ([given, id, link], { expect }) => {
    expect(parseQuotedPost(given)).toEqual({ id, link });
  });

  test.for([
    "",
    "20x",
    "12345678901234567890",
    "https://notx.com/jack/status/20",
    "https://x.com.evil.example/jack/status/20",
    "https://x.com/jack",
    "ftp://x.com/jack/status/20",
  ])("%s is not a post reference", (given, { expect }) => {
    expect(parseQuotedPost(given)).toBeNull();
    expect(problems({ options: { quote_tweet_url: given } })).toEqual([
      "option_invalid platform_options.quote_tweet_url",
    ]);
  });

  test("a quote cannot carry media, unless it is posted as a link", ({ expect }) => {
    const quotePost = { options: { quote_tweet_url: "20" }, media: [image()] };
    expect(problems(quotePost)).toEqual([]);
    expect(problems({ ...quotePost, settings: { QUOTE_MODE: "native" } })).toHaveLength(1);
    expect(problems({ ...quotePost, settings: { QUOTE_MODE: "native_then_link" } })).toEqual([
      "option_conflict platform_options.quote_tweet_url",
    ]);
  });

  test("a quote reserves characters for its URL", ({ expect }) => {
    const quotePost = { options: { quote_tweet_url: "20" } };
    expect(problems({ ...quotePost, caption: "a".repeat(256) })).toEqual([]);
    expect(problems({ ...quotePost, caption: "a".repeat(257) })).toEqual(["caption_too_long caption"]);
    expect(problems({ ...quotePost, caption: "a".repeat(280), settings: { QUOTE_MODE: "native" } })).toEqual([]);
  });
});

describe("limits of the account", () => {
  test("a subscription raises the limits for texts and videos", ({ expect }) => {
    const long = { caption: "a".repeat(281), media: [video({ durationSeconds: 141 })] };
    expect(problems(long)).toEqual(["caption_too_long caption", "media_duration media_items[0]"]);
    expect(problems({ ...long, capabilities: { subscriptionType: "None" } })).toHaveLength(2);
    expect(problems({ ...long, capabilities: { subscriptionType: "Premium" } })).toEqual([]);
  });

  test("a video over 140 seconds is warned about, subscription or not", ({ expect }) => {
    const capabilities = { subscriptionType: "Premium" };
    const warningsFor = (durationSeconds: number) =>
      x
        .validate(validationInput({ media: [video({ durationSeconds })], capabilities }))
        .warnings.map(({ code }) => code);
    expect([warningsFor(140), warningsFor(141)]).toEqual([[], ["media_duration"]]);
  });
});

describe("media", () => {
  const gif = (overrides = {}) =>
    image({ contentType: "image/gif", width: 320, height: 240, facts: { animated: true, ...overrides } });

  test("up to four images, or one GIF, or one video", ({ expect }) => {
    expect(problems({ media: Array(4).fill(image()) })).toEqual([]);
    expect(problems({ media: Array(5).fill(image()) })).toEqual(["media_too_many media_items"]);
    expect(problems({ media: [gif()] })).toEqual([]);
    expect(problems({ media: [gif(), image()] })).toEqual(["media_mixed media_items"]);
    expect(problems({ media: [video(), image()] })).toEqual(["media_mixed media_items"]);
    expect(problems({ media: [video(), video()] })).toEqual(["media_too_many media_items"]);
  });

  test("an animated GIF may be larger and has its own limits", ({ expect }) => {
    expect(problems({ media: [{ ...gif(), sizeBytes: 15 * 1024 ** 2 }] })).toEqual([]);
    expect(problems({ media: [{ ...gif(), sizeBytes: 15 * 1024 ** 2 + 1 }] })).toEqual([
      "media_too_large media_items[0]",
    ]);
    expect(problems({ media: [gif({ frames: 351 })] })).toEqual(["media_frames media_items[0]"]);
    expect(problems({ media: [{ ...gif(), width: 1281 }] })).toEqual(["media_dimensions media_items[0]"]);
  });

  test("limits a video's duration, size, aspect ratio, frame rate and codecs", ({ expect }) => {
    const problemsOfVideo = (overrides: Parameters<typeof video>[0]) => problems({ media: [video(overrides)] });
    expect(problemsOfVideo({ durationSeconds: 140 })).toEqual([]);
    expect(problemsOfVideo({ durationSeconds: 0.4 })).toEqual(["media_duration media_items[0]"]);
    expect(problemsOfVideo({ width: 310, height: 1000 })).toEqual(["media_aspect_ratio media_items[0]"]);
    expect(problemsOfVideo({ width: 30, height: 30 })).toEqual([
      "media_dimensions media_items[0]",
      "media_dimensions media_items[0]",
    ]);
    expect(problemsOfVideo({ facts: { frameRate: 61 } })).toEqual(["media_frame_rate media_items[0]"]);
    expect(problemsOfVideo({ facts: { videoCodec: "hevc", audioCodec: "opus" } })).toEqual([
      "media_codec media_items[0]",
      "media_codec media_items[0]",
    ]);
    expect(problemsOfVideo({ facts: { videoCodec: "h264", audioCodec: null } })).toEqual([]);
    expect(problemsOfVideo({ width: 1080, height: 1920 })).toEqual([]);
    expect(x.validate(validationInput({ media: [video({ width: 1080, height: 1920 })] })).warnings).toMatchObject([
      { code: "media_scaled" },
    ]);
  });

  test("a text is required only without media", ({ expect }) => {
    expect(problems({ caption: "  " })).toEqual(["caption_required caption"]);
    expect(problems({ caption: "", media: [image()] })).toEqual([]);
  });

  test("all problems are reported at once", ({ expect }) => {
    const invalidPost = {
      caption: `$ABC $DEF ${"a".repeat(300)}\uFFFE`,
      options: { reply_settings: "nobody", quote_tweet_url: "20" },
      settings: { QUOTE_MODE: "native" },
      media: [video(), image({ contentType: "image/bmp" })],
    };
    expect(problems(invalidPost)).toEqual([
      "caption_too_long caption",
      "caption_invalid caption",
      "too_many_cashtags caption",
      "option_invalid platform_options.reply_settings",
      "option_conflict platform_options.quote_tweet_url",
      "media_mixed media_items",
      "media_type_unsupported media_items[1]",
    ]);
  });
});

describe("cost", () => {
  test("a URL raises the price, and so does a quote that may become a URL", ({ expect }) => {
    const cost = (overrides: Parameters<typeof validationInput>[0]) =>
      x.validate(validationInput(overrides)).cost?.amountUsd;
    expect(cost({})).toBe(0.015);
    expect(cost({ caption: "see example.com" })).toBe(0.2);
    expect(cost({ options: { quote_tweet_url: "20" } })).toBe(0.2);
    expect(cost({ options: { quote_tweet_url: "20" }, settings: { QUOTE_MODE: "native" } })).toBe(0.015);
    expect(x.validate(validationInput({ caption: "see example.com" })).warnings).toMatchObject([
      { code: "url_costs_more" },
    ]);
    expect(x.validate(validationInput({ options: { quote_tweet_url: "20" } })).warnings).toMatchObject([
      { code: "quote_becomes_link", message: expect.stringContaining("https://x.com/i/status/20") },
    ]);
    const either = { options: { quote_tweet_url: "20" }, settings: { QUOTE_MODE: "native_then_link" } };
    expect(x.validate(validationInput(either)).warnings).toMatchObject([{ code: "quote_may_become_link" }]);
    const native = { options: { quote_tweet_url: "20" }, settings: { QUOTE_MODE: "native" } };
    expect(x.validate(validationInput(native)).warnings).toEqual([]);
  });
});
