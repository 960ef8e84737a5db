import type { Platform } from "#core/platform.ts";
import { sampleOf } from "../support/platform-samples.ts";

/* Every kind of post of every platform, and what the platform must have published afterwards. */

export interface ExpectedPost {
  /** Absent: any. */
  readonly kind?: string;
  /** Defaults to the caption. */
  readonly text?: string;
  readonly title?: string | null;
  /** Indexes in `files`; defaults to all of them. */
  readonly media?: readonly number[];
  readonly options: Readonly<Record<string, unknown>>;
}

export interface PostKind {
  readonly platform: Platform;
  readonly name: string;
  readonly files: readonly string[];
  readonly login?: string;
  /** Name of the account that posts; defaults to the login's first account. */
  readonly accountName?: string;
  readonly caption?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Settings of the simulator. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The options in the preview, with defaults filled in. */
  readonly effectiveOptions: Readonly<Record<string, unknown>>;
  readonly published: readonly ExpectedPost[];
  /** Set if the platform returns no post id: no post URL for a draft, the profile's URL for a private post. */
  readonly withoutPostId?: "draft" | "private";
}

const JPEG = "portrait.jpg";
const PNG = "square.png";
const PORTRAIT_VIDEO = "portrait.mp4";
const LANDSCAPE_VIDEO = "landscape.mp4";

const TIKTOK_DEFAULTS = {
  privacy_status: "public",
  allow_comment: true,
  allow_duet: true,
  allow_stitch: true,
  is_ai_generated: false,
  disclose_your_brand: false,
  disclose_branded_content: false,
  is_draft: false,
};
const PUBLIC_OPTIONS = { privacy_level: "PUBLIC_TO_EVERYONE", disable_comment: false };

const POST_KINDS: readonly PostKind[] = [
  // ---------------------------------------------------------------- instagram
  {
    platform: "instagram",
    name: "an image",
    files: [JPEG],
    effectiveOptions: { placement: "timeline", trial_reel_type: null },
    published: [{ kind: "image", options: {} }],
  },
  {
    platform: "instagram",
    name: "a carousel of images and a video",
    files: [JPEG, PORTRAIT_VIDEO, JPEG],
    effectiveOptions: { placement: "timeline" },
    published: [{ kind: "carousel", options: {} }],
  },
  {
    platform: "instagram",
    name: "a reel that stays out of the feed",
    files: [PORTRAIT_VIDEO],
    options: { share_to_feed: false },
    effectiveOptions: { placement: "reels", share_to_feed: false },
    published: [{ kind: "reel", options: { share_to_feed: false } }],
  },
  {
    platform: "instagram",
    name: "a trial reel",
    files: [PORTRAIT_VIDEO],
    options: { trial_reel_type: "performance" },
    effectiveOptions: { placement: "reels", trial_reel_type: "performance" },
    published: [{ kind: "reel", options: { trial_params: { graduation_strategy: "SS_PERFORMANCE" } } }],
  },
  {
    platform: "instagram",
    name: "a story",
    files: [PORTRAIT_VIDEO],
    options: { story: true },
    effectiveOptions: { story: true },
    published: [{ kind: "story", text: "", options: {} }],
  },
  // ---------------------------------------------------------------- tiktok
  {
    platform: "tiktok",
    name: "a video",
    files: [PORTRAIT_VIDEO],
    options: { allow_comment: false, allow_duet: false, is_ai_generated: true, disclose_branded_content: true },
    effectiveOptions: {
      ...TIKTOK_DEFAULTS,
      allow_comment: false,
      allow_duet: false,
      is_ai_generated: true,
      disclose_branded_content: true,
    },
    published: [
      {
        kind: "video",
        options: {
          ...PUBLIC_OPTIONS,
          disable_comment: true,
          disable_duet: true,
          disable_stitch: false,
          is_aigc: true,
          brand_content_toggle: true,
          brand_organic_toggle: false,
        },
      },
    ],
  },
  {
    platform: "tiktok",
    name: "a private video of a private account",
    login: "ben",
    files: [PORTRAIT_VIDEO],
    options: { privacy_status: "private" },
    effectiveOptions: { privacy_status: "private" },
    published: [{ kind: "video", options: { privacy_level: "SELF_ONLY", disable_duet: true, disable_stitch: true } }],
    withoutPostId: "private",
  },
  {
    platform: "tiktok",
    name: "photos with a title",
    files: [JPEG, "landscape.webp"],
    options: { title: "Two bowls" },
    effectiveOptions: { ...TIKTOK_DEFAULTS, title: "Two bowls" },
    published: [{ kind: "photo", title: "Two bowls", options: { ...PUBLIC_OPTIONS, title: "Two bowls" } }],
  },
  {
    platform: "tiktok",
    name: "a draft of a video",
    files: [PORTRAIT_VIDEO],
    options: { is_draft: true },
    effectiveOptions: { is_draft: true },
    published: [{ kind: "draft", text: "", options: {} }],
    withoutPostId: "draft",
  },
  {
    platform: "tiktok",
    name: "a draft of photos",
    files: [JPEG],
    options: { is_draft: true, title: "To finish" },
    effectiveOptions: { is_draft: true, title: "To finish" },
    published: [{ kind: "draft", title: "To finish", options: {} }],
    withoutPostId: "draft",
  },
  // ---------------------------------------------------------------- youtube
  {
    platform: "youtube",
    name: "a short",
    files: [PORTRAIT_VIDEO],
    options: { title: "How to glaze a bowl" },
    effectiveOptions: { title: "How to glaze a bowl", made_for_kids: false },
    published: [
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
    files: [LANDSCAPE_VIDEO],
    options: { title: "Clay for beginners", made_for_kids: true },
    effectiveOptions: { title: "Clay for beginners", made_for_kids: true },
    published: [
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
    name: "a text with all characters that LinkedIn's markup reserves",
    files: [],
    caption: "Out (v2) {now}: a_b *c* #clay @ada [x] <y> | \\ ~ done",
    effectiveOptions: {},
    published: [{ kind: "text", options: { visibility: "PUBLIC", feedDistribution: "MAIN_FEED" } }],
  },
  {
    platform: "linkedin",
    name: "an image",
    files: [JPEG],
    effectiveOptions: {},
    published: [{ kind: "image", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "several images",
    files: [JPEG, PNG, "animation.gif"],
    effectiveOptions: {},
    published: [{ kind: "carousel", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "a video",
    files: [LANDSCAPE_VIDEO],
    effectiveOptions: {},
    published: [{ kind: "video", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "a text of a company",
    accountName: "Example GmbH",
    files: [],
    effectiveOptions: {},
    published: [{ kind: "text", options: { visibility: "PUBLIC" } }],
  },
  {
    platform: "linkedin",
    name: "images of a company",
    accountName: "Example GmbH",
    files: [PNG, JPEG],
    effectiveOptions: {},
    published: [{ kind: "carousel", options: { visibility: "PUBLIC" } }],
  },
  // ---------------------------------------------------------------- x
  {
    platform: "x",
    name: "a text with restricted replies",
    files: [],
    caption: "Notes & <more> at https://example.com/a?b=1",
    options: { reply_settings: "mentionedUsers" },
    effectiveOptions: { reply_settings: "mentionedUsers" },
    published: [{ kind: "text", options: { reply_settings: "mentionedUsers" } }],
  },
  {
    platform: "x",
    name: "four images",
    files: [JPEG, PNG, "landscape.webp", JPEG],
    effectiveOptions: { reply_settings: null },
    published: [{ kind: "image", options: {} }],
  },
  {
    platform: "x",
    name: "a video",
    files: [LANDSCAPE_VIDEO],
    effectiveOptions: {},
    published: [{ kind: "video", options: {} }],
  },
  {
    platform: "x",
    name: "an animated image",
    files: ["animation.gif"],
    effectiveOptions: {},
    published: [{ kind: "gif", options: {} }],
  },
  {
    platform: "x",
    name: "a quote by its address",
    files: [],
    caption: "Look at that",
    options: { quote_tweet_url: "https://x.com/jack/status/1900000000000000001" },
    effectiveOptions: { quote_tweet_url: "https://x.com/jack/status/1900000000000000001" },
    published: [{ kind: "text", text: "Look at that https://x.com/jack/status/1900000000000000001", options: {} }],
  },
  {
    platform: "x",
    name: "a quote by its id",
    files: [],
    caption: "Look at this",
    // Larger than a JavaScript number can hold.
    options: { quote_tweet_url: "1900000000000000003" },
    effectiveOptions: { quote_tweet_url: "1900000000000000003" },
    published: [{ kind: "text", text: "Look at this https://x.com/i/status/1900000000000000003", options: {} }],
  },
  // ---------------------------------------------------------------- facebook
  { platform: "facebook", name: "a text", files: [], effectiveOptions: {}, published: [{ kind: "text", options: {} }] },
  {
    platform: "facebook",
    name: "a text on the other Page",
    accountName: "Workshop",
    files: [],
    effectiveOptions: {},
    published: [{ kind: "text", options: {} }],
  },
  {
    platform: "facebook",
    name: "an image",
    files: [JPEG],
    effectiveOptions: {},
    published: [{ kind: "image", options: {} }],
  },
  {
    platform: "facebook",
    name: "several images",
    files: [PNG, JPEG],
    effectiveOptions: {},
    published: [{ kind: "carousel", options: {} }],
  },
  {
    platform: "facebook",
    name: "a reel",
    files: [PORTRAIT_VIDEO],
    effectiveOptions: { placement: "reels" },
    published: [{ kind: "reel", options: { placement: "reels" } }],
  },
  {
    platform: "facebook",
    name: "a video on the timeline",
    files: [LANDSCAPE_VIDEO],
    options: { placement: "timeline" },
    effectiveOptions: { placement: "timeline" },
    published: [{ kind: "video", options: { placement: "timeline" } }],
  },
  {
    platform: "facebook",
    name: "an image as a story",
    files: [JPEG],
    options: { story: true, fit: "none" },
    effectiveOptions: { story: true, fit: "none" },
    published: [{ kind: "story", text: "", options: {} }],
  },
  {
    platform: "facebook",
    name: "a video as a story",
    files: [PORTRAIT_VIDEO],
    options: { story: true },
    effectiveOptions: { story: true },
    published: [{ kind: "story", text: "", options: {} }],
  },
  // ---------------------------------------------------------------- pinterest
  {
    platform: "pinterest",
    name: "a pin on two boards",
    files: [JPEG],
    options: { board_ids: ["549755885176", "549755885175"], title: "Blue glaze", link: "https://example.com/glaze" },
    effectiveOptions: {
      board_ids: ["549755885176", "549755885175"],
      title: "Blue glaze",
      link: "https://example.com/glaze",
    },
    published: ["549755885176", "549755885175"].map((board_id) => ({
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
    effectiveOptions: { board_ids: ["549755885175"] },
    published: [{ kind: "carousel", options: { board_id: "549755885175", link: null } }],
  },
  {
    platform: "pinterest",
    name: "a video",
    files: [LANDSCAPE_VIDEO],
    options: { board_ids: ["549755885177"] },
    effectiveOptions: { board_ids: ["549755885177"] },
    published: [{ kind: "video", options: { board_id: "549755885177", cover: 0 } }],
  },
  {
    platform: "pinterest",
    name: "a video with a cover image, on two boards",
    files: [LANDSCAPE_VIDEO, JPEG],
    options: { board_ids: ["549755885175", "549755885176"] },
    effectiveOptions: {},
    published: ["549755885175", "549755885176"].map((board_id) => ({
      kind: "video",
      media: [0],
      options: { board_id },
    })),
  },
  // ---------------------------------------------------------------- threads
  { platform: "threads", name: "a text", files: [], effectiveOptions: {}, published: [{ kind: "text", options: {} }] },
  {
    platform: "threads",
    name: "an image",
    files: [PNG],
    effectiveOptions: {},
    published: [{ kind: "image", options: {} }],
  },
  {
    platform: "threads",
    name: "a video",
    files: [PORTRAIT_VIDEO],
    effectiveOptions: {},
    published: [{ kind: "video", options: {} }],
  },
  {
    platform: "threads",
    name: "a carousel of images and a video",
    files: [PORTRAIT_VIDEO, JPEG, PNG],
    effectiveOptions: {},
    published: [{ kind: "carousel", options: {} }],
  },
  // ---------------------------------------------------------------- bluesky
  { platform: "bluesky", name: "a text", files: [], effectiveOptions: {}, published: [{ options: {} }] },
  {
    platform: "bluesky",
    name: "two images with descriptions",
    files: [JPEG, PNG],
    options: { alt_texts: ["One", "Two"], langs: ["en"] },
    effectiveOptions: { alt_texts: ["One", "Two"], langs: ["en"] },
    published: [{ options: {} }],
  },
  { platform: "bluesky", name: "a video", files: [PORTRAIT_VIDEO], effectiveOptions: {}, published: [{ options: {} }] },
];

/** A platform without kinds of its own publishes its smallest post. */
export function postKindsOf(platform: Platform): readonly [PostKind, ...PostKind[]] {
  const { files, options } = sampleOf(platform).post;
  const smallest: PostKind = {
    platform,
    name: "the smallest post",
    files,
    options,
    effectiveOptions: options,
    published: [{ options: {} }],
  };
  const [first = smallest, ...others] = POST_KINDS.filter((kind) => kind.platform === platform);
  return [first, ...others];
}

/** The call that revokes a login, where it is known more exactly than that there is one; null: none for the usual login. */
const REVOCATION_CALLS: Partial<Record<Platform, RegExp | null>> = {
  instagram: null,
  tiktok: /^POST \/v2\/oauth\/revoke\/$/,
  youtube: /^POST \/revoke$/,
  linkedin: /^POST \/oauth\/v2\/revoke$/,
  x: /^POST \/2\/oauth2\/revoke$/,
  facebook: /^DELETE \/v[\d.]+\/\w+\/permissions$/,
  pinterest: null,
  threads: null,
  bluesky: /^POST \/oauth\/revoke$/,
};

/** Matches the call that revokes a login; null if the platform has none. */
export function revocationCallOf(platform: Platform): RegExp | null {
  const call = REVOCATION_CALLS[platform];
  return call === undefined && sampleOf(platform).connect.revoke ? /revoke/ : (call ?? null);
}
