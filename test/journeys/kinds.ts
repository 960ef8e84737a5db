import type { Platform } from "#core/platform.ts";

/* Every kind of post that a platform knows, and what must stand in its book afterwards. */

export interface Expected {
  readonly kind: string;
  /** The caption when absent. */
  readonly text?: string;
  readonly title?: string | null;
  /** Positions in `files`; all of them when absent. */
  readonly media?: readonly number[];
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Kind {
  readonly platform: Platform;
  readonly name: string;
  readonly files: readonly string[];
  readonly login?: string;
  /** Name of the account that posts; the first one of the login when absent. */
  readonly from?: string;
  readonly caption?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Switches of the simulator. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the preview says the options are. */
  readonly filled: Readonly<Record<string, unknown>>;
  readonly book: readonly Expected[];
  /** Where the platform tells neither id nor address of what it has. */
  readonly ends?: "as a draft" | "without an address of its own";
}

const JPEG = "portrait.jpg";
const PNG = "square.png";
const UPRIGHT = "portrait.mp4";
const WIDE = "landscape.mp4";

const TIKTOK = {
  privacy_status: "public",
  allow_comment: true,
  allow_duet: true,
  allow_stitch: true,
  is_ai_generated: false,
  is_draft: false,
};
const OPEN = { privacy_level: "PUBLIC_TO_EVERYONE", disable_comment: false };

export const KINDS: readonly Kind[] = [
  // ---------------------------------------------------------------- instagram
  {
    platform: "instagram",
    name: "an image",
    files: [JPEG],
    filled: { placement: "timeline", trial_reel_type: null },
    book: [{ kind: "image", options: {} }],
  },
  {
    platform: "instagram",
    name: "a carousel of images and a video",
    files: [JPEG, UPRIGHT, JPEG],
    filled: { placement: "timeline" },
    book: [{ kind: "carousel", options: {} }],
  },
  {
    platform: "instagram",
    name: "a reel that stays out of the feed",
    files: [UPRIGHT],
    options: { share_to_feed: false },
    filled: { placement: "reels", share_to_feed: false },
    book: [{ kind: "reel", options: { share_to_feed: false } }],
  },
  {
    platform: "instagram",
    name: "a trial reel",
    files: [UPRIGHT],
    options: { trial_reel_type: "performance" },
    filled: { placement: "reels", trial_reel_type: "performance" },
    book: [{ kind: "reel", options: { trial_params: { graduation_strategy: "SS_PERFORMANCE" } } }],
  },
  // ---------------------------------------------------------------- tiktok
  {
    platform: "tiktok",
    name: "a video",
    files: [UPRIGHT],
    options: { allow_comment: false, allow_duet: false, is_ai_generated: true },
    filled: { ...TIKTOK, allow_comment: false, allow_duet: false, is_ai_generated: true },
    book: [
      {
        kind: "video",
        options: { ...OPEN, disable_comment: true, disable_duet: true, disable_stitch: false, is_aigc: true },
      },
    ],
  },
  {
    platform: "tiktok",
    name: "a video for its creator alone, of a private account",
    login: "ben",
    files: [UPRIGHT],
    options: { privacy_status: "private" },
    filled: { privacy_status: "private" },
    book: [{ kind: "video", options: { privacy_level: "SELF_ONLY", disable_duet: true, disable_stitch: true } }],
    ends: "without an address of its own",
  },
  {
    platform: "tiktok",
    name: "photos with a title",
    files: [JPEG, "landscape.webp"],
    options: { title: "Two bowls" },
    filled: { ...TIKTOK, title: "Two bowls" },
    book: [{ kind: "photo", title: "Two bowls", options: { ...OPEN, title: "Two bowls" } }],
  },
  {
    platform: "tiktok",
    name: "a draft of a video",
    files: [UPRIGHT],
    options: { is_draft: true },
    filled: { is_draft: true },
    book: [{ kind: "draft", text: "", options: {} }],
    ends: "as a draft",
  },
  {
    platform: "tiktok",
    name: "a draft of photos",
    files: [JPEG],
    options: { is_draft: true, title: "To finish" },
    filled: { is_draft: true, title: "To finish" },
    book: [{ kind: "draft", title: "To finish", options: {} }],
    ends: "as a draft",
  },
  // ---------------------------------------------------------------- youtube
  {
    platform: "youtube",
    name: "a short",
    files: [UPRIGHT],
    options: { title: "How to glaze a bowl" },
    filled: { title: "How to glaze a bowl", made_for_kids: false },
    book: [
      {
        kind: "video",
        title: "How to glaze a bowl",
        options: { privacyStatus: "public", selfDeclaredMadeForKids: false },
      },
    ],
  },
  {
    platform: "youtube",
    name: "a long video, made for kids",
    files: [WIDE],
    options: { title: "Clay for beginners", made_for_kids: true },
    filled: { title: "Clay for beginners", made_for_kids: true },
    book: [
      {
        kind: "video",
        title: "Clay for beginners",
        options: { privacyStatus: "public", selfDeclaredMadeForKids: true },
      },
    ],
  },
  // ---------------------------------------------------------------- linkedin
  {
    platform: "linkedin",
    name: "a text full of what its markup reserves",
    files: [],
    caption: "Out (v2) {now}: a_b *c* #clay @ada [x] <y> | \\ ~ done",
    filled: {},
    book: [{ kind: "text", options: { visibility: "PUBLIC", feedDistribution: "MAIN_FEED" } }],
  },
  {
    platform: "linkedin",
    name: "an image",
    files: [JPEG],
    filled: {},
    book: [{ kind: "image", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "several images",
    files: [JPEG, PNG, "animation.gif"],
    filled: {},
    book: [{ kind: "carousel", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "a video",
    files: [WIDE],
    filled: {},
    book: [{ kind: "video", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "a text of a company",
    from: "Example GmbH",
    files: [],
    filled: {},
    book: [{ kind: "text", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "images of a company",
    from: "Example GmbH",
    files: [PNG, JPEG],
    filled: {},
    book: [{ kind: "carousel", options: { visibility: "PUBLIC" } }],
  },
  // ---------------------------------------------------------------- x
  {
    platform: "x",
    name: "a text that only some may answer",
    files: [],
    caption: "Notes & <more> at https://example.com/a?b=1",
    options: { reply_settings: "mentionedUsers" },
    filled: { reply_settings: "mentionedUsers" },
    book: [{ kind: "text", options: { reply_settings: "mentionedUsers" } }],
  },
  {
    platform: "x",
    name: "four images",
    files: [JPEG, PNG, "landscape.webp", JPEG],
    filled: { reply_settings: null },
    book: [{ kind: "image", options: {} }],
  },
  { platform: "x", name: "a video", files: [WIDE], filled: {}, book: [{ kind: "video", options: {} }] },
  {
    platform: "x",
    name: "an animated image",
    files: ["animation.gif"],
    filled: {},
    book: [{ kind: "gif", options: {} }],
  },
  {
    platform: "x",
    name: "a quote, for an app that may",
    files: [],
    options: { quote_tweet_url: "https://x.com/jack/status/1900000000000000001" },
    settings: { access: "enterprise" },
    filled: { quote_tweet_url: "https://x.com/jack/status/1900000000000000001" },
    // More than a JavaScript number holds.
    book: [{ kind: "text", options: { quote_tweet_id: "1900000000000000001" } }],
  },
  {
    platform: "x",
    name: "a quote, for an app that may not",
    files: [],
    caption: "Look at this",
    options: { quote_tweet_url: "1900000000000000003" },
    settings: { access: "self_serve" },
    filled: { quote_tweet_url: "1900000000000000003" },
    book: [{ kind: "text", text: "Look at this https://x.com/i/status/1900000000000000003", options: {} }],
  },
  // ---------------------------------------------------------------- facebook
  { platform: "facebook", name: "a text", files: [], filled: {}, book: [{ kind: "text", options: {} }] },
  {
    platform: "facebook",
    name: "a text on the other Page",
    from: "Workshop",
    files: [],
    filled: {},
    book: [{ kind: "text", options: {} }],
  },
  { platform: "facebook", name: "an image", files: [JPEG], filled: {}, book: [{ kind: "image", options: {} }] },
  {
    platform: "facebook",
    name: "several images",
    files: [PNG, JPEG],
    filled: {},
    book: [{ kind: "carousel", options: {} }],
  },
  {
    platform: "facebook",
    name: "a reel",
    files: [UPRIGHT],
    filled: { placement: "reels" },
    book: [{ kind: "reel", options: { placement: "reels" } }],
  },
  {
    platform: "facebook",
    name: "a video on the timeline",
    files: [WIDE],
    options: { placement: "timeline" },
    filled: { placement: "timeline" },
    book: [{ kind: "video", options: { placement: "timeline" } }],
  },
  // ---------------------------------------------------------------- pinterest
  {
    platform: "pinterest",
    name: "a pin on two boards",
    files: [JPEG],
    options: { board_ids: ["549755885176", "549755885175"], title: "Blue glaze", link: "https://example.com/glaze" },
    filled: { board_ids: ["549755885176", "549755885175"], title: "Blue glaze", link: "https://example.com/glaze" },
    book: ["549755885176", "549755885175"].map((board_id) => ({
      kind: "pin",
      title: "Blue glaze",
      options: { board_id, link: "https://example.com/glaze" },
    })),
  },
  {
    platform: "pinterest",
    name: "a carousel",
    files: [JPEG, JPEG],
    options: { board_ids: ["549755885175"] },
    filled: { board_ids: ["549755885175"] },
    book: [{ kind: "carousel", options: { board_id: "549755885175", link: null } }],
  },
  {
    platform: "pinterest",
    name: "a video",
    files: [WIDE],
    options: { board_ids: ["549755885177"] },
    filled: { board_ids: ["549755885177"] },
    book: [{ kind: "video", options: { board_id: "549755885177", cover: 0 } }],
  },
  {
    platform: "pinterest",
    name: "a video with an image for its cover, on two boards",
    files: [WIDE, JPEG],
    options: { board_ids: ["549755885175", "549755885176"] },
    filled: {},
    book: ["549755885175", "549755885176"].map((board_id) => ({ kind: "video", media: [0], options: { board_id } })),
  },
  // ---------------------------------------------------------------- threads
  { platform: "threads", name: "a text", files: [], filled: {}, book: [{ kind: "text", options: {} }] },
  { platform: "threads", name: "an image", files: [PNG], filled: {}, book: [{ kind: "image", options: {} }] },
  { platform: "threads", name: "a video", files: [UPRIGHT], filled: {}, book: [{ kind: "video", options: {} }] },
  {
    platform: "threads",
    name: "a carousel of both",
    files: [UPRIGHT, JPEG, PNG],
    filled: {},
    book: [{ kind: "carousel", options: {} }],
  },
];

/** How a platform is told that a login is over; null where it has no such call. */
export const REVOKED_BY: Readonly<Record<Platform, RegExp | null>> = {
  instagram: null,
  tiktok: /^POST \/v2\/oauth\/revoke\/$/,
  youtube: /^POST \/revoke$/,
  linkedin: /^POST \/oauth\/v2\/revoke$/,
  x: /^POST \/2\/oauth2\/revoke$/,
  facebook: /^DELETE \/v[\d.]+\/\w+\/permissions$/,
  pinterest: null,
  threads: null,
};
