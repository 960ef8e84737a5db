import { altTextLimits } from "#platforms/alt-text.ts";
import type { PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { coverLimits } from "#platforms/cover.ts";
import { documentLimits } from "#platforms/document.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";

/**
 * The longest comment; other programs use 1,250. LinkedIn's page names no length:
 * learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api
 */
export const COMMENT_MAX = 1250;

/**
 * The longest caption, from the older page on UGC posts and the live refusal in
 * https://github.com/n8n-io/n8n/issues/22899. The unit is not documented; UTF-16 units are the strictest common one.
 * Escapes count unless LINKEDIN_CAPTION_COUNT is `visible`.
 */
export const CAPTION_MAX = 3000;

/** How many images a post may have. multiimage-post-api: 2 to 20; a single image is sent as `media` instead. */
const IMAGES_MAX = 20;
/** The largest image in pixels. images-api: fewer than 36,152,320, and GIFs of up to 250 frames. */
const PIXELS_MAX = 36_152_319;
const GIF_FRAMES_MAX = 250;

/** The rules for images. images-api lists formats but no size limit, so 8 MB is our own cautious limit. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png", "image/gif"],
  maxBytes: 8_000_000,
  maxPixels: PIXELS_MAX,
  maxFrames: GIF_FRAMES_MAX,
};

/**
 * The limits of a poll: 140 characters, 2 to 4 options of 30.
 * learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/poll-post-api
 */
export const POLL_QUESTION_MAX = 140;
export const POLL_OPTIONS = { min: 2, max: 4 } as const;
export const POLL_OPTION_MAX = 30;

const VIDEO_MIN_SECONDS = 3;
const VIDEO_MAX_SECONDS = 30 * 60;

/** The rules for videos. videos-api: MP4, 75 KB to 500 MB, 3 s to 30 minutes. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4"],
  maxBytes: 500_000_000,
  minBytes: 75_000,
  minSeconds: VIDEO_MIN_SECONDS,
  maxSeconds: VIDEO_MAX_SECONDS,
};
/** The widest video. The number is observed and not documented, so it causes a warning and no problem. */
export const VIDEO_RATIO_MAX = 2.4;

/** The rules for alt text. posts-api: 4,086 characters; not for videos and documents (ayrshare.com/docs). */
const ALT_TEXT = { types: ["image"], max: 4086 } as const satisfies PlatformLimits["media"]["altText"];

/**
 * The rules for covers. learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api,
 * `uploadThumbnail`, names neither formats nor sizes; ayrshare.com/docs has PNG or JPEG of less than 10 MB.
 */
const COVERS = {
  atMs: false,
  image: { contentTypes: ["image/jpeg", "image/png"], maxBytes: 9_999_999 },
} as const satisfies PlatformLimits["media"]["covers"];

/**
 * The rules for documents. documents-api: "The file size cannot exceed 100MB and 300 pages"; PDF is one of its types.
 */
export const DOCUMENT = { maxBytes: 100_000_000, maxPages: 300 } as const;

export const limits = {
  caption: {
    max: CAPTION_MAX,
    unit: "UTF-16 code units of the text in LinkedIn's format",
    note: "brackets and some other signs count as two",
  },
  media: {
    textOnly: true,
    images: { max: IMAGES_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: VIDEO_MIN_SECONDS,
      maxSeconds: VIDEO_MAX_SECONDS,
    },
    mixed: false,
    altText: ALT_TEXT,
    covers: COVERS,
  },
  rules: [
    {
      of: "platform_options.first_comment",
      measure: "length",
      max: COMMENT_MAX,
    },
    ...documentLimits(DOCUMENT),
    ...altTextLimits(ALT_TEXT),
    ...coverLimits(COVERS),
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", VIDEO),
  ],
  // There is no known cap: only the app's analytics show the limits per app, member and day. A refusal says when they
  // reset.
  dailyCaps: [],
  // LinkedIn refuses the same text for about ten minutes. People report longer times without a number: LinkedIn refused
  // an hourly repetition (https://github.com/Arisamiga/Linkedin-RSS/issues/5), and a deleted post counts too
  // (https://github.com/ComposioHQ/composio/issues/2710).
  duplicateText: {
    windowSeconds: 600,
    note: "LinkedIn refuses content that the author has posted before, for about 10 minutes and sometimes longer",
  },
} as const satisfies PlatformLimits;

export const fitting = { rule: IMAGE, maxLongSide: 4096 } as const satisfies ImageFitting;
