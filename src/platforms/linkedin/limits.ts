import type { PlatformLimits } from "#platforms/contract.ts";
import { type MediaRule, mediaRuleLimits } from "#platforms/media-rules.ts";

/**
 * From the older page on UGC posts and the live refusal in https://github.com/n8n-io/n8n/issues/22899. The unit is not
 * documented: UTF-16 code units are the strictest common one, and escapes count unless LINKEDIN_CAPTION_COUNT is `visible`.
 */
export const CAPTION_MAX = 3000;

/** multiimage-post-api: 2 to 20 images; a single image is sent as `media` instead. */
const IMAGES_MAX = 20;
/** images-api: fewer than 36,152,320 pixels, GIFs of up to 250 frames. */
const PIXELS_MAX = 36_152_319;
const GIF_FRAMES_MAX = 250;

/** images-api lists the formats but no size limit: 8 MB is our own, conservative limit. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png", "image/gif"],
  maxBytes: 8_000_000,
  maxPixels: PIXELS_MAX,
  maxFrames: GIF_FRAMES_MAX,
};

const VIDEO_MIN_SECONDS = 3;
const VIDEO_MAX_SECONDS = 30 * 60;

/** videos-api: MP4, 75 KB to 500 MB, 3 s to 30 minutes. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4"],
  maxBytes: 500_000_000,
  minBytes: 75_000,
  minSeconds: VIDEO_MIN_SECONDS,
  maxSeconds: VIDEO_MAX_SECONDS,
};
/** Observed but not documented, so it causes a warning and not a problem. */
export const VIDEO_RATIO_MAX = 2.4;

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
  },
  rules: [...mediaRuleLimits("image", IMAGE), ...mediaRuleLimits("video", VIDEO)],
  // Limits per app, member and day are only shown in the app's analytics; the refusal says when they reset.
  dailyCaps: [],
  // About ten minutes by the sheet. Longer is reported without a number: an hourly repetition was refused
  // (https://github.com/Arisamiga/Linkedin-RSS/issues/5), and a deleted post counts too (https://github.com/ComposioHQ/composio/issues/2710).
  duplicateText: {
    windowSeconds: 600,
    note: "LinkedIn refuses content that the author has posted before, for about 10 minutes and sometimes longer",
  },
} as const satisfies PlatformLimits;
