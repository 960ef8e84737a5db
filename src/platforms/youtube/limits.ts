import { MAX_MEDIA_BYTES } from "#core/media-limits.ts";
import type { JsonObject } from "#core/json.ts";
import type { AppTerms, PlatformLimits, MediaRule } from "#platforms/contract.ts";
import { coverLimits } from "#platforms/cover.ts";
import { mediaRuleLimits } from "#platforms/media-rules.ts";

/**
 * The longest title. developers.google.com/youtube/v3/docs/videos: title of 100 characters, description of 5,000 bytes,
 * neither with `<` or `>`. UTF-16 is the strictest usual meaning of "characters".
 */
export const TITLE_MAX = 100;
export const DESCRIPTION_MAX_BYTES = 5000;
/**
 * The total length of tags. Same page, `snippet.tags[]`: 500 characters with the commas, two more for each tag with a
 * space.
 */
export const TAGS_MAX = 500;

/**
 * The longest comment, without an official number: developers.google.com/youtube/v3/docs/commentThreads/insert refuses
 * what is too long (`commentTextTooLong`) but does not say when. YouTube's pages accept 10,000. A preview refuses a
 * longer comment.
 */
export const COMMENT_MAX = 10_000;
/**
 * How many playlists a post may have. It is this service's own limit, because each playlist costs a call of 50 units.
 */
export const PLAYLISTS_MAX = 5;
/**
 * The scope for comments and playlists: developers.google.com/youtube/v3/docs/commentThreads/insert,
 * …/playlistItems/insert.
 */
export const FORCE_SSL_SCOPE = "https://www.googleapis.com/auth/youtube.force-ssl";

/**
 * The longest video (s) of a channel without a verified phone number. Help page on upload limits: 15 minutes; 12 hours
 * with one.
 */
export const UNVERIFIED_MAX_SECONDS = 15 * 60;
const MAX_SECONDS = 12 * 3600;

/**
 * The rules for videos. developers.google.com/youtube/v3/docs/videos/insert: 256 GB, more than is stored; of YouTube's
 * formats, those that this product stores.
 */
export const VIDEO: MediaRule = {
  contentTypes: ["video/mp4", "video/quicktime", "video/webm"],
  maxBytes: MAX_MEDIA_BYTES.video,
  maxSeconds: MAX_SECONDS,
};

/**
 * The longest Short (s). Help page on three-minute Shorts: square or vertical, up to 3 minutes. Over one minute, a
 * copyright claim blocks the video worldwide.
 */
export const SHORT_MAX_SECONDS = 180;
export const SHORT_CLAIM_SECONDS = 60;

/** Whether the channel may upload videos longer than 15 minutes. Null if YouTube did not say. */
export function mayUploadLong(capabilities: JsonObject): boolean | null {
  switch (capabilities["longUploads"]) {
    case "allowed":
      return true;
    case "eligible":
    case "disallowed":
      return false;
    default:
      return null;
  }
}

/**
 * The rules for covers. developers.google.com/youtube/data/reference/rest/v3/thumbnails/set: JPEG or PNG of 50 MB, more
 * than is stored.
 */
const COVERS = {
  atMs: false,
  image: { contentTypes: ["image/jpeg", "image/png"], maxBytes: MAX_MEDIA_BYTES.image },
} as const satisfies PlatformLimits["media"]["covers"];

function rulesFor(video: MediaRule): PlatformLimits["rules"] {
  return [
    { of: "platform_options.title", measure: "length", max: TITLE_MAX },
    { of: "platform_options.playlist_ids", measure: "items", max: PLAYLISTS_MAX },
    { of: "platform_options.first_comment", measure: "length", max: COMMENT_MAX },
    ...mediaRuleLimits("video", video),
    ...coverLimits(COVERS),
  ];
}

/** The limits of one channel. Without a verified phone number its videos must be short. */
export function limitsOf(capabilities: JsonObject): PlatformLimits {
  const { media } = limits;
  return mayUploadLong(capabilities) === false
    ? {
        ...limits,
        media: { ...media, videos: { ...media.videos, maxSeconds: UNVERIFIED_MAX_SECONDS } },
        rules: rulesFor({ ...VIDEO, maxSeconds: UNVERIFIED_MAX_SECONDS }),
      }
    : limits;
}

export const limits = {
  caption: {
    max: DESCRIPTION_MAX_BYTES,
    unit: "UTF-8 bytes",
    note: "letters with accents count as two, emoji as four",
  },
  media: {
    textOnly: false,
    images: null,
    videos: {
      max: 1,
      maxBytes: VIDEO.maxBytes,
      contentTypes: VIDEO.contentTypes,
      minSeconds: 0,
      maxSeconds: MAX_SECONDS,
    },
    mixed: false,
    altText: { types: [], max: null },
    covers: COVERS,
  },
  rules: rulesFor(VIDEO),
  // A channel's daily cap is not public, and YouTube itself counts the daily uploads of the whole app.
  dailyCaps: [],
  duplicateText: null,
} as const satisfies PlatformLimits;

export const appTerms = {
  dailyCap: { count: 100, what: "uploads", timeZone: "America/Los_Angeles" },
  source: "https://developers.google.com/youtube/data/guides/quota_and_compliance_audits",
  readOn: "2026-11-23",
} satisfies AppTerms;
