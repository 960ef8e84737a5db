import { altTextLimits } from "#platforms/alt-text.ts";
import type { PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { THREAD_PARTS_MAX } from "#platforms/thread.ts";

/**
 * The longest text: 500, where an emoji counts its UTF-8 bytes (developers.facebook.com/documentation/threads/posts).
 */
export const CAPTION_MAX = 500;
/**
 * From this length on a warning says that Threads may count differently. Non-ASCII letters are assumed to count as one
 * character.
 */
export const CAPTION_ADVISED = 480;
/** How many different links a post may have: 5 (changelog of 22 December 2025, `THREADS_API__LINK_LIMIT_EXCEEDED`). */
export const LINKS_MAX = 5;
/**
 * The longest topic: 1 to 50 characters, neither . nor &
 * (developers.facebook.com/documentation/threads/create-posts/topics).
 */
export const TOPIC_MAX = 50;
/**
 * How many options a poll has. developers.facebook.com/documentation/threads/create-posts/polls: `option_a` to
 * `option_d` of 1 to 25 characters, the first two required; text posts only.
 */
export const POLL_OPTIONS = { min: 2, max: 4 } as const;
export const POLL_OPTION_MAX = 25;
/** How many items a carousel may have: 2 to 20. */
export const CAROUSEL_MAX = 20;

/**
 * The rules for images. Threads media specifications: JPEG or PNG, 8 MB, ratio up to 10:1; widths are scaled to
 * 320..1440.
 */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png"],
  // The documentation says only "8 MB", so take the smaller meaning.
  maxBytes: 8_000_000,
  minRatio: 0.1,
  maxRatio: 10,
};

const VIDEO_MIN_SECONDS = 0.1;

/**
 * The rules for videos. Same page: MOV or MP4, up to 5 minutes, 1 GB, 1920 wide, 0.01:1 to 10:1, 23 to 60 fps, H.264 or
 * HEVC with AAC.
 */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: 1_000_000_000,
  maxWidth: 1920,
  minRatio: 0.01,
  maxRatio: 10,
  minSeconds: VIDEO_MIN_SECONDS,
  maxSeconds: 300,
  minFrameRate: 23,
  maxFrameRate: 60,
  videoCodecs: ["h264", "hevc"],
  audioCodecs: ["aac"],
};

/**
 * The rules for alt text: images and videos, 1,000 characters
 * (developers.facebook.com/docs/threads/reference/publishing, `alt_text`).
 */
const ALT_TEXT = { types: ["image", "video"], max: 1000 } as const satisfies PlatformLimits["media"]["altText"];

export const limits = {
  caption: {
    max: CAPTION_MAX,
    unit: "characters, an emoji counts its UTF-8 bytes",
    note: "an emoji counts as several",
  },
  media: {
    textOnly: true,
    images: { max: CAROUSEL_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: CAROUSEL_MAX,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: VIDEO_MIN_SECONDS,
      maxSeconds: 300,
    },
    mixed: true,
    altText: ALT_TEXT,
    covers: { atMs: false, image: null },
  },
  rules: [
    { of: "caption", measure: "links", max: LINKS_MAX },
    { of: "platform_options.topic_tag", measure: "length", max: TOPIC_MAX },
    { of: "platform_options.thread", measure: "items", max: THREAD_PARTS_MAX },
    { of: "media_items", measure: "items", max: CAROUSEL_MAX },
    ...altTextLimits(ALT_TEXT),
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", VIDEO),
  ],
  // The cap for accounts whose own number could not be read
  // (developers.facebook.com/documentation/threads/overview.md). A carousel counts once.
  dailyCaps: [{ count: 250, windowHours: 24, what: "posts" }],
  duplicateText: null,
} as const satisfies PlatformLimits;

/** Copies of images are at most 1440 pixels wide, because Threads scales wider ones down. */
export const fitting = { rule: IMAGE, maxWidth: 1440 } as const satisfies ImageFitting;
