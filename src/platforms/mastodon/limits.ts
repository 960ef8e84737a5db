import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { PlatformLimits, MediaRule } from "#platforms/contract.ts";
import { MAX_MEDIA_BYTES } from "#core/media-limits.ts";
import { altTextLimits } from "#platforms/alt-text.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { THREAD_PARTS_MAX } from "#platforms/thread.ts";

/* The limits of an unmodified server (mastodon/mastodon v4.6.5). Servers state their own limits, which take
   precedence. These apply if a server leaves one out, and in `GET /platforms`. */

/** The longest text: app/validators/status_length_validator.rb. */
const CAPTION_MAX = 500;
const URL_CHARACTERS = 23;
/** How many media a post may have: app/models/status.rb. */
const MEDIA_MAX = 4;
/** A file must be smaller than this, not equal (bytes): app/models/media_attachment.rb. */
const IMAGE_SIZE_LIMIT = 16_777_216;
const VIDEO_SIZE_LIMIT = 103_809_024;
const IMAGE_PIXELS_MAX = 33_177_600;
const VIDEO_PIXELS_MAX = 8_294_400;
const FRAME_RATE_MAX = 120;
/**
 * The longest alt text that all servers accept. Since 4.6 the limit is 10,000; servers before 4.4 do not state theirs.
 */
const DESCRIPTION_MAX = 1500;
/** The largest GIF in pixels: app/models/concerns/attachmentable.rb. No server states this limit. */
const GIF_PIXELS_MAX = 921_600;
/**
 * How many characters near the limit cause a warning. The server and this service may count by different versions of
 * Unicode.
 */
export const CAPTION_MARGIN = 5;
/** An upper bound for the duration (s). Mastodon has none, and every file within the size limit is shorter. */
const VIDEO_SECONDS_MAX = 86_400;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm"] as const;
/** Types that versions up to 4.7.2 list as accepted, but answer with 500 (mastodon#40541). */
const UNUSABLE_TYPES: ReadonlySet<string> = new Set(["image/heic", "image/heif", "image/avif"]);

const Limit = (fallback: number) => z.number().positive().catch(fallback);

/** The members of `PostableAccount.capabilities` for a Mastodon account. */
const Capabilities = z.object({
  /** `other` means another program with the same API, whose idempotency keys may not prevent a second post. */
  software: z.enum(["mastodon", "other"]).catch("mastodon"),
  maxCharacters: Limit(CAPTION_MAX),
  urlCharacters: Limit(URL_CHARACTERS),
  maxMedia: z.number().nonnegative().catch(MEDIA_MAX),
  contentTypes: z.array(z.string()).catch([...IMAGE_TYPES, ...VIDEO_TYPES]),
  imageSizeLimit: Limit(IMAGE_SIZE_LIMIT),
  videoSizeLimit: Limit(VIDEO_SIZE_LIMIT),
  imagePixels: Limit(IMAGE_PIXELS_MAX),
  videoPixels: Limit(VIDEO_PIXELS_MAX),
  frameRate: Limit(FRAME_RATE_MAX),
  descriptionLimit: Limit(DESCRIPTION_MAX),
});
export type Capabilities = z.infer<typeof Capabilities>;

export function readCapabilities(capabilities: JsonObject): Capabilities {
  return Capabilities.parse(capabilities);
}

/** The rules for one file at the account's server. */
export function mediaRules(capabilities: Capabilities): {
  readonly image: MediaRule;
  readonly gif: MediaRule;
  readonly video: MediaRule;
} {
  const usable = capabilities.contentTypes.filter((type) => !UNUSABLE_TYPES.has(type));
  const image = {
    contentTypes: usable.filter((type) => type.startsWith("image/")),
    maxBytes: Math.min(capabilities.imageSizeLimit - 1, MAX_MEDIA_BYTES.image),
    maxPixels: capabilities.imagePixels,
  };
  return {
    image,
    gif: { ...image, maxPixels: GIF_PIXELS_MAX },
    video: {
      contentTypes: usable.filter((type) => type.startsWith("video/")),
      maxBytes: Math.min(capabilities.videoSizeLimit - 1, MAX_MEDIA_BYTES.video),
      maxPixels: capabilities.videoPixels,
      maxFrameRate: capabilities.frameRate,
    },
  };
}

/** How many media a post may have: four images, one animated GIF, or one video (docs/user/posting.md). */
export function mediaLimits(capabilities: Capabilities) {
  const { image, video } = mediaRules(capabilities);
  return {
    textOnly: true,
    images: { max: capabilities.maxMedia, maxBytes: image.maxBytes, contentTypes: image.contentTypes },
    videos: {
      max: Math.min(1, capabilities.maxMedia),
      maxBytes: video.maxBytes,
      contentTypes: video.contentTypes,
      minSeconds: 0,
      maxSeconds: VIDEO_SECONDS_MAX,
    },
    mixed: false,
    altText: { types: ["image", "video"], max: capabilities.descriptionLimit },
    covers: { atMs: false, image: null },
  } as const satisfies PlatformLimits["media"];
}

/** An animated GIF must be the only media of its post. */
export const ANIMATED_GIFS_MAX = 1;

function rulesFor(capabilities: Capabilities): PlatformLimits["rules"] {
  const { image, video } = mediaRules(capabilities);
  return [
    { of: "platform_options.alt_texts[]", measure: "length", max: capabilities.descriptionLimit },
    { of: "platform_options.thread", measure: "items", max: THREAD_PARTS_MAX },
    ...altTextLimits(mediaLimits(capabilities).altText),
    { of: "animated_gif", measure: "items", max: ANIMATED_GIFS_MAX },
    ...mediaRuleLimits("image", image),
    { of: "gif", measure: "pixels", max: GIF_PIXELS_MAX },
    ...mediaRuleLimits("video", video),
  ];
}

/** The limits at the account's own server. */
export function limitsOf(stored: JsonObject): PlatformLimits {
  const capabilities = readCapabilities(stored);
  return {
    ...limits,
    caption: { ...limits.caption, max: capabilities.maxCharacters },
    media: mediaLimits(capabilities),
    rules: rulesFor(capabilities),
  };
}

export const limits = {
  caption: {
    max: CAPTION_MAX,
    unit: "characters as displayed, a link counts 23",
    note: "a link counts as 23",
  },
  media: mediaLimits(readCapabilities({})),
  rules: rulesFor(readCapabilities({})),
  // 300 posts in 3 hours: app/lib/rate_limiter.rb.
  dailyCaps: [{ count: 300, windowHours: 3, what: "posts" }],
  duplicateText: null,
} as const satisfies PlatformLimits;
