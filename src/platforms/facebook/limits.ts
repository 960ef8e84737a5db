import type { JsonObject } from "#core/json.ts";
import type { AppCredentials, PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { coverLimits } from "#platforms/cover.ts";
import { extraScopes, hasExtraScopes } from "#platforms/extra-scopes.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { storyLimits, isStory, STORY_RATIO } from "#platforms/story.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/**
 * The longest caption, from gitroomhq/postiz-app and other open-source adapters. The unit is not documented; UTF-16
 * units are the strictest common one.
 */
export const CAPTION_MAX = 63_206;
/**
 * The longest comment, without an official source: developers.facebook.com/docs/graph-api/reference/object/comments
 * names no length. Facebook's own pages accept 8,000. A preview refuses a longer comment.
 */
export const COMMENT_MAX = 8000;
/**
 * How many images a post may have. Facebook documents no maximum; ten is this product's own limit for one media import.
 */
const IMAGES_MAX = 10;

/** The rules for images. Error 1366046 names 4 MB; JPEG and PNG need no conversion. */
export const IMAGE: MediaRule = { contentTypes: ["image/jpeg", "image/png"], maxBytes: 4 * MIB };

/** The minimum length (pixels) of a reel's shorter side. The next constant is that of its longer side. */
const REEL_SHORT_SIDE = 540;
const REEL_LONG_SIDE = 960;

/**
 * The rules for reels. Reels publishing guide: 3 to 90 s, at least 540×960, 24 to 60 fps, 9:16; its error table allows
 * 16:9 to 9:16.
 */
export const REEL: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: GIB,
  minShortSide: REEL_SHORT_SIDE,
  minLongSide: REEL_LONG_SIDE,
  minRatio: 9 / 16,
  maxRatio: 16 / 9,
  minSeconds: 3,
  maxSeconds: 90,
  // Cameras record "24 fps" as 23.976, so allow a little less than 24.
  minFrameRate: 23.9,
  maxFrameRate: 60,
  videoCodecs: ["h264", "hevc", "vp9", "av1"],
  audioCodecs: ["aac"],
};
export const REEL_RATIO_ADVISED = 9 / 16;

/**
 * The rules for a story's video (developers.facebook.com/docs/page-stories-api): as for reels, but "can not exceed 60
 * seconds". The document's table of photos has 10 MB, but stories upload them like any photo, with error 1366046 above
 * 4 MB.
 */
export const STORY_VIDEO: MediaRule = { ...REEL, maxSeconds: 60 };
/** A video story has no cover, because its finish call has no field for one. */
export const STORY_COVERS = { atMs: false, image: null } as const satisfies PlatformLimits["media"]["covers"];

/** The rules for Page videos that Facebook downloads from a URL: 1 GB and 20 minutes. */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: GIB,
  maxSeconds: 1200,
};

/**
 * The scopes for covers in addition to `pages_show_list`, which every login has:
 * developers.facebook.com/docs/graph-api/reference/video/thumbnails, "Creating".
 */
export const COVER_SCOPES: readonly string[] = ["pages_manage_engagement", "pages_read_user_content"];

/** The rules for covers, from the same page: at most 10 MB. It shows a JPEG and names no types. */
const COVERS = {
  atMs: false,
  image: { contentTypes: ["image/jpeg", "image/png"], maxBytes: 10_000_000 },
} as const satisfies PlatformLimits["media"]["covers"];

/** Whether the operator lists the scopes for covers, so that logins request them. */
export function asksForCovers(settings: AppCredentials["settings"]): boolean {
  const listed = extraScopes(settings);
  return COVER_SCOPES.every((scope) => listed.includes(scope));
}

/** The limits of one Page. Covers need scopes that the Page's login may lack. */
export function limitsOf(capabilities: JsonObject): PlatformLimits {
  return hasExtraScopes(capabilities, COVER_SCOPES)
    ? { ...limits, media: { ...limits.media, covers: COVERS }, rules: [...limits.rules, ...coverLimits(COVERS)] }
    : limits;
}

export const limits = {
  caption: { max: CAPTION_MAX, unit: "UTF-16 code units", note: "most emoji count as two" },
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
    altText: { types: ["image"], max: null },
    covers: { atMs: false, image: null },
  },
  rules: [
    { of: "platform_options.first_comment", measure: "length", max: COMMENT_MAX },
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", REEL, { options: { placement: "reels" } }),
    ...mediaRuleLimits("video", VIDEO, { options: { placement: "timeline" } }),
    ...storyLimits(STORY_VIDEO),
  ],
  // Facebook limits only reels, to 30 in 24 hours. A cap here would count all posts, so refusing is left to Facebook.
  dailyCaps: [],
  // Error 506 "Duplicate status message": https://developers.facebook.com/docs/graph-api/guides/error-handling.
  // Facebook names no window and refuses only a text that repeats the Page's newest post.
  duplicateText: {
    windowSeconds: null,
    note: "Facebook refuses a text that repeats the newest post of the Page, however old that one is",
  },
} as const satisfies PlatformLimits;

/** Copies of photos are at most 2048 pixels long, because Facebook shows no more. */
export const fitting = { rule: IMAGE, maxLongSide: 2048 } as const satisfies ImageFitting;

/** Copies for stories have the ratio of a phone's screen. The guide gives 9:16 for videos and no ratio for photos. */
const storyFitting = { ...fitting, minRatio: STORY_RATIO, maxRatio: STORY_RATIO } as const satisfies ImageFitting;

export const fittingFor = (options: JsonObject): ImageFitting => (isStory(options) ? storyFitting : fitting);
