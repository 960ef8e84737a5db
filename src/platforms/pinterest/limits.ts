import { MAX_MEDIA_BYTES } from "#core/media-limits.ts";
import { altTextLimits } from "#platforms/alt-text.ts";
import type { PlatformLimits, ImageFitting, MediaRule } from "#platforms/contract.ts";
import { coverLimits } from "#platforms/cover.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";

const MB = 1_000_000;

/** The longest description (OpenAPI 5.23.0, PinCreate), in code points as JSON Schema counts. */
export const DESCRIPTION_MAX = 800;
export const TITLE_MAX = 100;
export const LINK_MAX = 2048;
/** From this length on a warning says that the description may be cut, as help pages and most tools say. */
export const DESCRIPTION_DISPLAYED_MAX = 500;
/** How many boards a post may have. It is this service's own limit, because many equal pins at once look like spam. */
export const BOARDS_MAX = 10;

/** How many images a pin may have (OpenAPI 5.23.0: `multiple_image_urls` has 2 to 5 items). */
const IMAGES_MAX = 5;
/** How many images a video pin may have: one, its cover. */
export const COVERS_MAX = 1;

/** The rules for images. Help page: JPEG and PNG, 20 MB; the consumer page adds WebP. GIF by URL is not documented. */
export const IMAGE: MediaRule = { contentTypes: ["image/jpeg", "image/png", "image/webp"], maxBytes: 20 * MB };
/**
 * The image types that Pinterest accepts inside the request. The next constant limits how many bytes the service holds
 * in memory for this.
 */
export const INLINE_TYPES: readonly string[] = ["image/jpeg", "image/png"];
export const INLINE_MAX_BYTES = 10 * MB;

const VIDEO_MIN_SECONDS = 4;
const VIDEO_MAX_SECONDS = 15 * 60;

/**
 * The rules for videos. Help page: MP4, MOV, M4V (stored as MP4); H.264 or H.265; 2 GB, which no stored file reaches; 4
 * s to 15 minutes; 1:2 to 1.91:1.
 */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxBytes: MAX_MEDIA_BYTES.video,
  minSeconds: VIDEO_MIN_SECONDS,
  maxSeconds: VIDEO_MAX_SECONDS,
  minRatio: 1 / 2,
  maxRatio: 1.91,
  videoCodecs: ["h264", "h265", "hevc"],
};

/** The rules for alt text: 500 characters (pinterest/api-description, `alt_text` of a pin). */
const ALT_TEXT = { types: ["image", "video"], max: 500 } as const satisfies PlatformLimits["media"]["altText"];

/**
 * The rules for covers: `cover_image_url` or `cover_image_key_frame_time` (pinterest/api-description,
 * `PinMediaSourceVideoID`). The types are those of images inside the request.
 */
const COVERS = {
  atMs: true,
  image: { contentTypes: ["image/jpeg", "image/png"], maxBytes: IMAGE.maxBytes },
} as const satisfies PlatformLimits["media"]["covers"];

export const limits = {
  caption: { max: DESCRIPTION_MAX, unit: "code points" },
  media: {
    textOnly: false,
    images: { max: IMAGES_MAX, maxBytes: IMAGE.maxBytes, contentTypes: IMAGE.contentTypes },
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: VIDEO_MIN_SECONDS,
      maxSeconds: VIDEO_MAX_SECONDS,
    },
    // An image beside a video is the video's cover.
    mixed: true,
    altText: ALT_TEXT,
    covers: COVERS,
  },
  rules: [
    { of: "platform_options.board_ids", measure: "items", min: 1, max: BOARDS_MAX },
    { of: "platform_options.title", measure: "length", max: TITLE_MAX },
    { of: "platform_options.link", measure: "length", max: LINK_MAX },
    { of: "media_items", measure: "images", max: COVERS_MAX, when: { postType: "video" } },
    ...altTextLimits(ALT_TEXT),
    ...coverLimits(COVERS),
    ...mediaRuleLimits("image", IMAGE),
    ...mediaRuleLimits("video", VIDEO),
  ],
  dailyCaps: [],
  duplicateText: null,
} as const satisfies PlatformLimits;

/** How copies of images fit: all images of a carousel have one size. */
export const fitting = { rule: IMAGE, together: "size" } as const satisfies ImageFitting;
