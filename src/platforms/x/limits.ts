import type { JsonObject } from "#core/json.ts";
import { altTextLimits } from "#platforms/alt-text.ts";
import type { AppTerms, MediaDescription, PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { THREAD_PARTS_MAX } from "#platforms/thread.ts";

const MIB = 1024 ** 2;

/** The longest text, weighted: a URL counts 23, an emoji 2 (docs.x.com/fundamentals/counting-characters). */
export const CAPTION_MAX = 280;
/** The longest text of authors with any paid subscription (docs.x.com/changelog, August 2024). */
export const CAPTION_MAX_SUBSCRIBED = 25_000;
/** How much a quoted post's URL after a space counts: 23 + 1. */
export const QUOTE_LINK_WEIGHT = 24;
/** How many cashtags a post may have. The API's own refusal: "maximum of one cashtag". */
export const CASHTAGS_MAX = 1;
/** An animated GIF must be the only media of its post. */
export const ANIMATED_GIFS_MAX = 1;

/** The rules for images: 5 MB (docs.x.com/x-api/media/quickstart/best-practices); refusals name 5242880 bytes. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
  maxBytes: 5 * MIB,
};

const GIF_FRAMES_MAX = 350;
const GIF_PIXELS_MAX = 300_000_000;

/** The rules for animated GIFs. Same page: 15 MB, 1280×1080, 350 frames, width × height × frames up to 300 million. */
export const ANIMATED_GIF: MediaRule = {
  contentTypes: ["image/gif"],
  maxBytes: 15 * MIB,
  maxWidth: 1280,
  maxHeight: 1080,
  maxFrames: GIF_FRAMES_MAX,
  maxFramePixels: GIF_PIXELS_MAX,
};

const LONG_VIDEO_SECONDS = 140;

/** The rules for videos. Same page: 512 MB, 0.5–140 s, up to 60 fps, from 32×32, 1:3 to 3:1, H.264 with AAC. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: 512 * MIB,
  minWidth: 32,
  minHeight: 32,
  minRatio: 1 / 3,
  maxRatio: 3,
  minSeconds: 0.5,
  maxSeconds: LONG_VIDEO_SECONDS,
  maxFrameRate: 60,
  videoCodecs: ["h264"],
  audioCodecs: ["aac"],
};

/**
 * The longest side of a video without a warning. Same page: 1280×1024 in either orientation. X scales larger videos
 * down, so a phone's 1080×1920 causes a warning and no problem.
 */
export const VIDEO_LONG_SIDE_MAX = 1280;
export const VIDEO_SHORT_SIDE_MAX = 1024;

/**
 * The longest video (s) of authors with a subscription. The limit of 512 MB is reached long before these four hours.
 */
const SUBSCRIBED_MAX_SECONDS = 4 * 3600;
export const VIDEO_SUBSCRIBED: MediaRule = { ...VIDEO, maxSeconds: SUBSCRIBED_MAX_SECONDS };

/** Whether a video is longer than X documents for `tweet_video`. */
export function isLongVideo(media: Pick<MediaDescription, "type" | "durationSeconds">): boolean {
  return media.type === "video" && (media.durationSeconds ?? 0) > LONG_VIDEO_SECONDS;
}

/**
 * The category with which a long video is uploaded. `X_LONG_VIDEO_CATEGORY` chooses it. X does not document whether a
 * subscription is enough, or whether the video needs the other category that the OpenAPI description lists for
 * `initialize`.
 */
export function videoCategory(
  media: Pick<MediaDescription, "type" | "durationSeconds">,
  settings: Readonly<Record<string, string>>,
): "tweet_video" | "amplify_video" {
  return isLongVideo(media) && settings["LONG_VIDEO_CATEGORY"] !== "tweet_video" ? "amplify_video" : "tweet_video";
}

/** The price of a post in US dollars since 20 April 2026: docs.x.com/x-api/getting-started/pricing. */
export const PRICE_USD = 0.015;
/** How many users may be tagged in media: docs.x.com/x-api/posts/create-post, `media.tagged_user_ids`. */
export const TAGGED_USERS_MAX = 10;
export const PRICE_WITH_URL_USD = 0.2;
/** The price in US dollars of each described image: the line "media metadata" of the same page. */
export const ALT_TEXT_USD = 0.005;

export const appTerms = {
  prices: { postUsd: PRICE_USD, postWithLinkUsd: PRICE_WITH_URL_USD },
  source: "https://docs.x.com/x-api/getting-started/pricing",
  readOn: "2026-11-23",
} satisfies AppTerms;

/**
 * Whether the author has a paid subscription. X returns `subscription_type` only to the account itself; every value but
 * `None` is one.
 */
export function isSubscribed(capabilities: JsonObject): boolean {
  const subscription = capabilities["subscriptionType"];
  return typeof subscription === "string" && subscription !== "" && subscription.toLowerCase() !== "none";
}

/**
 * The rules for alt text, for images and GIFs only: docs.x.com/x-api/media/create-media-metadata; developer.x.com,
 * `POST media/metadata/create`.
 */
const ALT_TEXT = { types: ["image"], max: 1000 } as const satisfies PlatformLimits["media"]["altText"];

function rulesFor(video: MediaRule): PlatformLimits["rules"] {
  return [
    { of: "caption", measure: "cashtags", max: CASHTAGS_MAX },
    { of: "platform_options.tagged_user_ids", measure: "items", max: TAGGED_USERS_MAX, when: { postType: "image" } },
    { of: "platform_options.thread", measure: "items", max: THREAD_PARTS_MAX },
    { of: "animated_gif", measure: "items", max: ANIMATED_GIFS_MAX },
    ...altTextLimits(ALT_TEXT),
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("animated_gif", ANIMATED_GIF).filter(({ measure }) => measure !== "content_type"),
    ...mediaRuleLimits("video", video),
  ];
}

export const limits = {
  caption: { max: CAPTION_MAX, unit: "weighted characters", note: "a link counts as 23, an emoji as two" },
  media: {
    textOnly: true,
    images: { max: 4, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: 0.5,
      maxSeconds: LONG_VIDEO_SECONDS,
    },
    mixed: false,
    altText: ALT_TEXT,
    covers: { atMs: false, image: null },
  },
  rules: rulesFor(VIDEO),
  // X has no daily cap per account. The limit per 15 minutes differs between apps and is read from response headers.
  dailyCaps: [],
  // X does not document for how long it refuses the same text. It compares the hashes of texts for up to 12 hours,
  // depending on the account
  // (https://www.ayrshare.com/solutions/x-twitter-api-error-403-duplicate-post-how-to-fix-it/).
  duplicateText: {
    windowSeconds: 12 * 3600,
    note: "X refuses a text that the account has posted before, for up to 12 hours depending on the account",
  },
} as const satisfies PlatformLimits;

/** The limits of one account: a paid subscription allows longer texts and videos. */
export function limitsOf(capabilities: JsonObject): PlatformLimits {
  if (!isSubscribed(capabilities)) {
    return limits;
  }
  const { caption, media } = limits;
  return {
    ...limits,
    caption: { ...caption, max: CAPTION_MAX_SUBSCRIBED },
    media: { ...media, videos: { ...media.videos, maxSeconds: SUBSCRIBED_MAX_SECONDS } },
    rules: rulesFor(VIDEO_SUBSCRIBED),
  };
}

/** Copies of images are at most 4096 pixels long, because X shows no more. */
export const fitting = { rule: IMAGE, maxLongSide: 4096 } as const satisfies ImageFitting;
