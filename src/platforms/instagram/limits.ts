import type { JsonObject } from "#core/json.ts";
import { altTextLimits } from "#platforms/alt-text.ts";
import type { PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { coverLimits } from "#platforms/cover.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";
import { storyLimits, isStory, STORY_RATIO } from "#platforms/story.ts";

const MIB = 1024 ** 2;

/**
 * The longest caption. IG user media reference: 2200 characters, 30 hashtags, 20 @ tags. It states no unit; UTF-16 is
 * the strictest usual one.
 */
export const CAPTION_MAX = 2200;
export const HASHTAGS_MAX = 30;
export const MENTIONS_MAX = 20;
/**
 * How many hashtags to advise. Since December 2025 Instagram has been lowering its own limit (ayrshare.com/docs,
 * routenote.com).
 */
export const HASHTAGS_ADVISED = 5;
/**
 * How many mentions to advise. https://www.ayrshare.com/docs/apis/post/social-networks/instagram: "up to 5 hashtags and
 * 3 username mentions".
 */
export const MENTIONS_ADVISED = 3;

/**
 * How many collaborators a post may have:
 * developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, `collaborators`.
 */
export const COLLABORATORS_MAX = 3;

/** How many items a carousel may have. Content publishing guide: 2 to 10. */
export const CAROUSEL_MAX = 10;

/**
 * The rules for images. IG user media reference: JPEG only, 8 MiB (error 36000/2207004). Instagram sometimes accepts a
 * PNG, which then fails with 9004/2207052.
 */
export const IMAGE: MediaRule = {
  contentTypes: ["image/jpeg"],
  maxBytes: 8 * MIB,
  // Documented is 4:5 to 1.91:1, but Instagram has accepted 9:16 since 2026 (ayrshare.com/docs). So refuse only ratios
  // beyond that.
  minRatio: 9 / 16,
  maxRatio: 1.91,
};
export const IMAGE_RATIO_ADVISED = 4 / 5;

/**
 * The rules for videos. IG user media reference: MOV or MP4, 3 s to 15 min, 300 MB, up to 1920 wide, 0.01:1 to 10:1, 23
 * to 60 fps, H.264 or HEVC with AAC.
 */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: 300_000_000,
  maxWidth: 1920,
  minRatio: 0.01,
  maxRatio: 10,
  minSeconds: 3,
  maxSeconds: 900,
  minFrameRate: 23,
  maxFrameRate: 60,
  videoCodecs: ["h264", "hevc"],
  audioCodecs: ["aac"],
};

/**
 * The rules for a story's video. IG user media reference, "Story Video Specifications": 3 to 60 s, 100 MB, 0.1:1 to
 * 10:1; the rest as for reels.
 */
export const STORY_VIDEO: MediaRule = { ...VIDEO, maxBytes: 100_000_000, minRatio: 0.1, maxSeconds: 60 };

/**
 * The longest comment, without an official source: the reference of comments names no length. Like other clients, the
 * service uses that of a caption (github.com/exileum/meta-mcp/pull/251). A preview refuses a longer comment.
 */
export const COMMENT_MAX = 2200;

/**
 * How many followers trial reels usually need. Instagram's documentation gives no number, nor does its refusal 2207081.
 */
export const TRIAL_FOLLOWERS_USUAL = 1000;

/**
 * The rules for alt text. IG user media reference of 24 March 2025: `alt_text` for images, also in carousels; not for
 * reels and stories.
 */
const ALT_TEXT = { types: ["image"], max: 1000 } as const satisfies PlatformLimits["media"]["altText"];

/**
 * The rules for covers. IG user media reference, "Reels cover photo": JPEG of 8 MB; `cover_url` takes precedence over
 * `thumb_offset`.
 */
const COVERS = {
  atMs: true,
  image: { contentTypes: ["image/jpeg"], maxBytes: 8 * MIB },
} as const satisfies PlatformLimits["media"]["covers"];

/**
 * The rules for a story's media. IG user media reference: `alt_text` is "not supported" for stories, and their
 * containers have neither `cover_url` nor `thumb_offset`.
 */
export const STORY_MEDIA = {
  altText: { types: [], max: null },
  covers: { atMs: false, image: null },
} as const satisfies Pick<PlatformLimits["media"], "altText" | "covers">;

export const limits = {
  caption: { max: CAPTION_MAX, unit: "UTF-16 code units", note: "most emoji count as two" },
  media: {
    textOnly: false,
    images: { max: CAROUSEL_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: CAROUSEL_MAX,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: 3,
      maxSeconds: 900,
    },
    mixed: true,
    altText: ALT_TEXT,
    covers: COVERS,
  },
  rules: [
    { of: "caption", measure: "hashtags", max: HASHTAGS_MAX },
    { of: "caption", measure: "mentions", max: MENTIONS_MAX },
    { of: "media_items", measure: "items", max: CAROUSEL_MAX },
    { of: "platform_options.collaborators", measure: "items", max: COLLABORATORS_MAX },
    { of: "platform_options.first_comment", measure: "length", max: COMMENT_MAX },
    ...altTextLimits(ALT_TEXT),
    ...coverLimits(COVERS),
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", VIDEO),
    ...storyLimits(STORY_VIDEO),
  ],
  // The cap for accounts whose own number cannot be read. The content publishing guide says 100; the references of
  // media_publish and content_publishing_limit say 50. A carousel counts once.
  dailyCaps: [{ count: 50, windowHours: 24, what: "posts" }],
  duplicateText: null,
} as const satisfies PlatformLimits;

/**
 * How copies of images fit. The official page (September 2026): 4:5 to 1.91:1, at most 1440 wide. Instagram crops a
 * carousel to the shape of its first image.
 */
export const fitting = {
  rule: IMAGE,
  minRatio: IMAGE_RATIO_ADVISED,
  maxWidth: 1440,
  together: "ratio",
} as const satisfies ImageFitting;

/** How copies for stories fit. IG user media reference: 9:16 "to avoid cropping or blank space". */
const storyFitting = {
  rule: IMAGE,
  minRatio: STORY_RATIO,
  maxRatio: STORY_RATIO,
  maxWidth: 1440,
} as const satisfies ImageFitting;

export const fittingFor = (options: JsonObject): ImageFitting => (isStory(options) ? storyFitting : fitting);
