import type { PlatformLimits } from "#platforms/contract.ts";
import type { MediaRule } from "#platforms/media-rules.ts";

/** The older page on UGC posts; the newer ones name no number. The unit is not told: UTF-16 is the strictest usual reading. */
export const CAPTION_MAX = 3000;

/** multiimage-post-api: 2 to 20; one image is a post of another kind. */
const IMAGES_MAX = 20;
/** images-api: fewer than 36,152,320 pixels, GIFs of up to 250 frames. */
export const PIXELS_MAX = 36_152_319;
export const GIF_FRAMES_MAX = 250;

/** images-api names the formats and no number of bytes: 8 MB is a careful cap of our own. */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg", "image/png", "image/gif"],
  maxBytes: 8_000_000,
};

const VIDEO_MIN_SECONDS = 3;
const VIDEO_MAX_SECONDS = 30 * 60;

/** videos-api: MP4, 75 KB to 500 MB, 3 s to 30 minutes. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4"],
  maxBytes: 500_000_000,
  minSeconds: VIDEO_MIN_SECONDS,
  maxSeconds: VIDEO_MAX_SECONDS,
};
export const VIDEO_MIN_BYTES = 75_000;
/** Remembered, not documented: worth a word, not a refusal. */
export const VIDEO_RATIO_MAX = 2.4;

export const limits = {
  caption: { max: CAPTION_MAX, unit: "UTF-16 code units" },
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
  // Per app and per member and day, shown in the app's own statistics only; their refusal says when they end.
  dailyCaps: [],
} as const satisfies PlatformLimits;
