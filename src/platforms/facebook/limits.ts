import type { PlatformLimits } from "#platforms/contract.ts";
import type { MediaRule } from "#platforms/media-rules.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** gitroomhq/postiz-app and other open adapters; the unit is not stated, UTF-16 is the strictest usual reading. */
export const TEXT_MAX = 63_206;
/** No maximum is documented; ten is what this product takes in one call of its media import. */
const IMAGES_MAX = 10;

/** Error 1366046 names 4 MB; JPEG and PNG are what needs no conversion. */
export const IMAGE: MediaRule = { contentTypes: ["image/jpeg", "image/png"], maxBytes: 4 * MIB };

/** Reels publishing guide: 3 to 90 s, from 540×960, 24 to 60 fps, 9:16; its error table lets 16:9 to 9:16 through. */
export const REEL: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: GIB,
  minRatio: 9 / 16,
  maxRatio: 16 / 9,
  minSeconds: 3,
  maxSeconds: 90,
  // 23.976 is what cameras call 24.
  minFrameRate: 23.9,
  maxFrameRate: 60,
  videoCodecs: ["h264", "hevc", "vp9", "av1"],
  audioCodecs: ["aac"],
};
/** The shorter and the longer side of the smallest reel. */
export const REEL_SHORT_SIDE = 540;
export const REEL_LONG_SIDE = 960;
export const REEL_RATIO_ADVISED = 9 / 16;

/** Pages video, posted by address: 1 GB and 20 minutes. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: GIB,
  maxSeconds: 1200,
};

export const limits = {
  caption: { max: TEXT_MAX, unit: "UTF-16 code units" },
  media: {
    textOnly: true,
    images: { max: IMAGES_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: 0,
      maxSeconds: 1200,
    },
    mixed: false,
  },
  // 30 in 24 hours for reels alone, which the platform checks: counted against every post it would refuse texts.
  dailyCaps: [],
} as const satisfies PlatformLimits;
