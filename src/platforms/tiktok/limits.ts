import { MINUTE } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { MAX_MEDIA_BYTES } from "#core/media-limits.ts";
import type { PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";

/**
 * The longest caption of a video, in UTF-16 units: developers.tiktok.com/doc/content-posting-api-reference-direct-post
 * and …-reference-photo-post.
 */
export const VIDEO_CAPTION_MAX = 2200;
export const PHOTO_TITLE_MAX = 90;
export const PHOTO_CAPTION_MAX = 4000;
const PHOTOS_MAX = 35;

const MEGABYTE = 1_000_000;

/**
 * The rules for videos. Media transfer guide: MP4, WebM or MOV, H.264, H.265, VP8 or VP9, 23 to 60 fps, 360 to 4096
 * pixels a side, 4 GB (more than is stored), 10 minutes. The minimum of three seconds is what apps observe.
 */
const VIDEO: MediaRule & { readonly maxSeconds: number } = {
  contentTypes: ["video/mp4", "video/quicktime", "video/webm"],
  maxBytes: MAX_MEDIA_BYTES.video,
  minWidth: 360,
  maxWidth: 4096,
  minHeight: 360,
  maxHeight: 4096,
  minSeconds: 3,
  maxSeconds: 600,
  minFrameRate: 23,
  maxFrameRate: 60,
  videoCodecs: ["h264", "hevc", "vp8", "vp9"],
};
/** The widest and tallest ratio without a warning. Videos beyond it have failed with picture_size_check_failed. */
export const SAFE_VIDEO_RATIO = 16 / 9;

/** The rules for images. Same guide: JPEG or WebP, 20 MB, 1080p, which means 1920×1080 in either orientation. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/webp"],
  maxBytes: 20 * MEGABYTE,
  maxShortSide: 1080,
  maxLongSide: 1920,
};

/**
 * How long (ms) an upload URL is used. It is valid for one hour, which must leave time for retries after the due time.
 */
export const UPLOAD_LIFETIME_MS = 55 * MINUTE;
export const PREPARE_AHEAD_MAX_MS = 40 * MINUTE;

function rulesFor(video: MediaRule): PlatformLimits["rules"] {
  return [
    { of: "caption", measure: "length", max: VIDEO_CAPTION_MAX, when: { postType: "video" } },
    { of: "caption", measure: "length", max: PHOTO_CAPTION_MAX, when: { postType: "image" } },
    { of: "platform_options.title", measure: "length", max: PHOTO_TITLE_MAX, when: { postType: "image" } },
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", video),
  ];
}

/** The rules for videos of one account, with its own maximum duration if that is known and lower. */
export function videoRule(capabilities: JsonObject): MediaRule & { readonly maxSeconds: number } {
  const maxSeconds = capabilities["maxVideoSeconds"];
  return typeof maxSeconds === "number" && maxSeconds > 0 && maxSeconds < VIDEO.maxSeconds
    ? { ...VIDEO, maxSeconds }
    : VIDEO;
}

/** The limits of one account, as TikTok's creator information gives them. */
export function limitsOf(capabilities: JsonObject): PlatformLimits {
  const video = videoRule(capabilities);
  const { media } = limits;
  return video === VIDEO
    ? limits
    : {
        ...limits,
        media: { ...media, videos: { ...media.videos, maxSeconds: video.maxSeconds } },
        rules: rulesFor(video),
      };
}

export const limits = {
  caption: { max: VIDEO_CAPTION_MAX, unit: "UTF-16 code units", note: "most emoji count as two" },
  media: {
    textOnly: false,
    images: { max: PHOTOS_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: 3,
      maxSeconds: 600,
    },
    mixed: false,
    altText: { types: [], max: null },
    covers: { atMs: true, image: null },
  },
  rules: rulesFor(VIDEO),
  // Content sharing guidelines: about 15 posts in 24 hours, including posts from other apps.
  dailyCaps: [{ count: 15, windowHours: 24, what: "posts" }],
  duplicateText: null,
} as const satisfies PlatformLimits;

export const fitting = { rule: IMAGE } as const satisfies ImageFitting;
