import type { JsonObject } from "#core/json.ts";
import type { PlatformLimits, MediaRule } from "#platforms/contract.ts";
import { altTextLimits } from "#platforms/alt-text.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { THREAD_PARTS_MAX } from "#platforms/thread.ts";

/** The longest text of a post. The lexicon `app.bsky.feed.post` limits it in characters and in bytes. */
export const CAPTION_MAX = 300;
export const CAPTION_MAX_BYTES = 3000;
/** How many languages a post may have (lexicon app.bsky.feed.post). */
export const LANGS_MAX = 3;
/** The longest alt text. The official app has this limit; the protocol has none. */
export const ALT_TEXT_MAX = 2000;
const ALT_TEXT = { types: ["image", "video"], max: ALT_TEXT_MAX } as const satisfies PlatformLimits["media"]["altText"];
/**
 * The longest texts of a link card. The lexicon (com.atproto.lexicon) has no limit; these are far above what apps
 * display.
 */
export const LINK_CARD_MAX = { uri: 2000, title: 300, description: 1000 } as const;
export const IMAGES_MAX = 4;
/**
 * The limit of image bytes (app.bsky.embed.images) until 8 April 2026. Servers with the older version refuse larger
 * images.
 */
export const IMAGE_BYTES_ADVISED = 1_000_000;

/** The rules for images: app.bsky.embed.images allows 2,000,000 bytes since 8 April 2026. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
  maxBytes: 2_000_000,
};

/**
 * The rules for videos: app.bsky.embed.video allows 300,000,000 bytes since 11 August 2026, and the video service 180
 * s.
 */
const VIDEO: MediaRule & { readonly maxSeconds: number } = {
  contentTypes: ["video/mp4"],
  maxBytes: 300_000_000,
  maxSeconds: 180,
};
/** The longer limit (s) for videos that some accounts have since August 2026. */
const VIDEO_SECONDS_EXTENDED = 600;

/** The rules for videos. The operator can set a longer limit with `BLUESKY_VIDEO_MAX_SECONDS`. */
export function videoRule(settings: Readonly<Record<string, string>>): MediaRule & { readonly maxSeconds: number } {
  const seconds = Number(settings["VIDEO_MAX_SECONDS"] ?? VIDEO.maxSeconds);
  return seconds > 0 ? { ...VIDEO, maxSeconds: Math.min(seconds, VIDEO_SECONDS_EXTENDED) } : VIDEO;
}

function rulesFor(video: MediaRule): PlatformLimits["rules"] {
  return [
    { of: "caption", measure: "utf8_bytes", max: CAPTION_MAX_BYTES },
    { of: "platform_options.langs", measure: "items", max: LANGS_MAX },
    { of: "platform_options.alt_texts", measure: "items", max: IMAGES_MAX },
    { of: "platform_options.alt_texts[]", measure: "length", max: ALT_TEXT_MAX },
    { of: "platform_options.thread", measure: "items", max: THREAD_PARTS_MAX },
    ...altTextLimits(ALT_TEXT),
    { of: "platform_options.link_card.uri", measure: "length", max: LINK_CARD_MAX.uri },
    { of: "platform_options.link_card.title", measure: "length", min: 1, max: LINK_CARD_MAX.title },
    { of: "platform_options.link_card.description", measure: "length", max: LINK_CARD_MAX.description },
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", video),
  ];
}

export const limits = {
  caption: {
    max: CAPTION_MAX,
    unit: "characters as displayed, and at most 3000 bytes of UTF-8",
    note: "a text also has at most 3,000 bytes",
  },
  media: {
    textOnly: true,
    images: { max: IMAGES_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: { max: 1, maxBytes: VIDEO.maxBytes, contentTypes: VIDEO.contentTypes, minSeconds: 0, maxSeconds: 180 },
    mixed: false,
    altText: ALT_TEXT,
    covers: { atMs: false, image: null },
  },
  rules: rulesFor(VIDEO),
  // There is no fixed cap. Servers count points for all writes, also those of other apps, and each sets its own limit.
  // Response headers show it.
  dailyCaps: [],
  duplicateText: null,
} as const satisfies PlatformLimits;

export function limitsOf(_: JsonObject, settings: Readonly<Record<string, string>>): PlatformLimits {
  const video = videoRule(settings);
  const { media } = limits;
  return video.maxSeconds === VIDEO.maxSeconds
    ? limits
    : {
        ...limits,
        media: { ...media, videos: { ...media.videos, maxSeconds: video.maxSeconds } },
        rules: rulesFor(video),
      };
}
