import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import {
  type CreatorInfo,
  type LinkedSentence,
  type OptionAvailability,
  type OptionForm,
  type OptionSwitch,
  FIT_FIELD,
} from "#platforms/contract.ts";
import { choiceOf, commonOptions, fitOption } from "#platforms/options.ts";
import { PHOTO_TITLE_MAX } from "./limits.ts";

/**
 * The options of a TikTok post. developers.tiktok.com/doc/content-posting-api-reference-direct-post: `privacy_level`,
 * `disable_comment`, `disable_duet`, `disable_stitch`, `is_aigc`, `brand_content_toggle`, `brand_organic_toggle`;
 * …-reference-photo-post: `title`, `auto_add_music`, `photo_cover_index`, and `post_mode` for drafts.
 */
export const options = z.looseObject({
  title: z
    .string()
    .optional()
    .describe(`Title of an image post, up to ${PHOTO_TITLE_MAX} characters; not used for video`),
  privacy_status: choiceOf({
    public: "Everyone.",
    friends: "Followers that the account follows too.",
    followers: "Followers; TikTok offers it to private accounts only.",
    private: "Only the account itself.",
  })
    .default("public")
    .describe(
      "Who can see the post; which of them the account may choose now is in `creator.privacy_options` of a preview",
    ),
  allow_comment: z.boolean().default(true).describe("Whether others may comment"),
  allow_duet: z.boolean().default(true).describe("Video only: whether others may make duets of it"),
  allow_stitch: z.boolean().default(true).describe("Video only: whether others may stitch it"),
  is_ai_generated: z.boolean().default(false).describe("Video only: labels the video as made by AI"),
  disclose_your_brand: z
    .boolean()
    .default(false)
    .describe("Discloses that the post promotes the account's own business; TikTok labels it 'Promotional content'"),
  disclose_branded_content: z
    .boolean()
    .default(false)
    .describe(
      "Discloses that the post promotes another business; TikTok labels it 'Paid partnership'. Not with `privacy_status: private`",
    ),
  auto_add_music: z.boolean().optional().describe("Images only: whether TikTok adds music that it recommends"),
  photo_cover_index: z
    .int()
    .refine((index) => index >= 0, "must be 0 or more")
    .optional()
    .describe("Images only: which of them is the cover; 0 is the first"),
  is_draft: z.boolean().default(false).describe("Save as a draft in the TikTok app instead of posting"),
  ...fitOption,
  ...commonOptions,
});

/** Whether the post is a draft. A draft is sent without settings, because the user chooses them in the TikTok app. */
export function isDraft(options: JsonObject): boolean {
  return options["is_draft"] === true;
}

export const PUBLIC_LEVEL = "PUBLIC_TO_EVERYONE";
export const PRIVATE_LEVEL = "SELF_ONLY";

/**
 * Maps every value of `privacy_level_options` to ours:
 * https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info
 */
const LEVEL_OF_PRIVACY: Readonly<Record<string, string>> = {
  public: PUBLIC_LEVEL,
  friends: "MUTUAL_FOLLOW_FRIENDS",
  followers: "FOLLOWER_OF_CREATOR",
  private: PRIVATE_LEVEL,
};

export function privacyLevel(options: JsonObject): string {
  const status = options["privacy_status"];
  return (typeof status === "string" ? LEVEL_OF_PRIVACY[status] : undefined) ?? PUBLIC_LEVEL;
}

export function isPublic(options: JsonObject): boolean {
  return privacyLevel(options) === PUBLIC_LEVEL;
}

/** The values of the option `privacy_status` for TikTok's levels, in the order of the option. */
export function privacyChoices(levels: readonly unknown[]): readonly string[] {
  return Object.entries(LEVEL_OF_PRIVACY).flatMap(([value, level]) => (levels.includes(level) ? [value] : []));
}

/** Whether the user discloses branded content: https://developers.tiktok.com/doc/content-sharing-guidelines */
export function isBrandedContent(options: JsonObject): boolean {
  return options["disclose_branded_content"] === true;
}

export function disclosure(options: JsonObject): JsonObject {
  return {
    brand_content_toggle: isBrandedContent(options),
    brand_organic_toggle: options["disclose_your_brand"] === true,
  };
}

export function titleOf(options: JsonObject): string {
  return typeof options["title"] === "string" ? options["title"] : "";
}

/* What TikTok's audit checks on our pages (https://developers.tiktok.com/doc/content-sharing-guidelines). The user
   chooses who sees the post, interactions are off until the user allows them, and the user discloses commercial
   content. */

/* Do not reword these sentences: the auditor compares them word for word (ClimenteA/imposting#56 and #57). */

const MUSIC = {
  text: "Music Usage Confirmation",
  url: "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en",
};
const BRANDED_CONTENT = {
  text: "Branded Content Policy",
  url: "https://www.tiktok.com/legal/page/global/bc-policy/en",
};
const PROMOTIONAL_LABEL = "Your photo/video will be labeled as 'Promotional content'";
const PARTNERSHIP_LABEL = "Your photo/video will be labeled as 'Paid partnership'";

function availability(creator: CreatorInfo): OptionAvailability {
  const off = "This account does not allow it; it can be changed in the TikTok app.";
  return {
    choices: { privacy_status: privacyChoices(creator.privacyOptions) },
    disabled: {
      ...(!creator.commentAllowed && { allow_comment: off }),
      ...(!creator.duetAllowed && { allow_duet: off }),
      ...(!creator.stitchAllowed && { allow_stitch: off }),
    },
  };
}

function statements(options: JsonObject): readonly LinkedSentence[] {
  const isBranded = isBrandedContent(options);
  const isPromotional = options["disclose_your_brand"] === true;
  return [
    ...(isBranded ? [[PARTNERSHIP_LABEL]] : isPromotional ? [[PROMOTIONAL_LABEL]] : []),
    isBranded
      ? ["By posting, you agree to TikTok's ", BRANDED_CONTENT, " and ", MUSIC, "."]
      : ["By posting, you agree to TikTok's ", MUSIC, "."],
    ["After publishing, TikTok may need a few minutes to process the post before it is visible on the profile."],
  ];
}

const COMMERCIAL_CONTENT = {
  key: "promotes",
  label: "This post promotes something",
  unanswered: "You need to indicate if your content promotes yourself, a third party, or both.",
} as const satisfies OptionSwitch;

export const optionForm = {
  fields: {
    privacy_status: {
      label: "Who can see the post",
      choices: {
        "": "Choose who can see it",
        public: "Everyone",
        friends: "Friends",
        followers: "Followers",
        private: "Only you",
      },
      mustChoose: (options: JsonObject) => !isDraft(options),
    },
    allow_comment: { label: "Comments", group: "Allow others to", initial: "false" },
    allow_duet: { label: "Duets", initial: "false", onlyFor: "video" },
    allow_stitch: { label: "Stitches", initial: "false", onlyFor: "video" },
    disclose_your_brand: {
      label: "Your brand",
      hint: "You are promoting yourself or your own business.",
      whenTicked: PROMOTIONAL_LABEL,
      group: "Disclose commercial content",
      behind: COMMERCIAL_CONTENT,
    },
    disclose_branded_content: {
      label: "Branded content",
      hint: "You are promoting another brand or a third party.",
      whenTicked: PARTNERSHIP_LABEL,
      excludes: {
        option: "privacy_status",
        value: "private",
        sentence: "Branded content visibility cannot be set to private.",
      },
      group: "Disclose commercial content",
      behind: COMMERCIAL_CONTENT,
    },
    title: { label: "Title", hint: `Up to ${PHOTO_TITLE_MAX} characters.`, onlyFor: "image", group: "More" },
    auto_add_music: {
      label: "Add recommended music",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
      onlyFor: "image",
      group: "More",
    },
    photo_cover_index: {
      label: "Cover",
      hint: "Which image is the cover: 0 is the first.",
      onlyFor: "image",
      group: "More",
    },
    is_ai_generated: {
      label: "Made with AI",
      hint: "Labels the video as made by AI.",
      onlyFor: "video",
      group: "More",
    },
    is_draft: {
      label: "Save as a draft only",
      hint: "Nothing is posted: the draft waits in the TikTok app until you finish it there.",
    },
    fit: FIT_FIELD,
  },
  availability,
  statements,
} as const satisfies OptionForm;

/**
 * What the person who confirms sees of the account. Undefined while it is unknown. An app without an audit offers fewer
 * levels.
 */
export function toCreatorInfo(capabilities: JsonObject, hasAudit: boolean): CreatorInfo | undefined {
  const levels = capabilities["privacyLevels"];
  if (!Array.isArray(levels)) {
    return undefined;
  }
  const text = (name: string) => (typeof capabilities[name] === "string" ? capabilities[name] : null);
  const maxSeconds = capabilities["maxVideoSeconds"];
  return {
    name: text("creatorName") ?? text("creatorUsername"),
    avatarUrl: text("creatorAvatarUrl"),
    privacyOptions: levels.map(String).filter((level) => hasAudit || level === PRIVATE_LEVEL),
    commentAllowed: capabilities["commentDisabled"] !== true,
    duetAllowed: capabilities["duetDisabled"] !== true,
    stitchAllowed: capabilities["stitchDisabled"] !== true,
    maxVideoSeconds: typeof maxSeconds === "number" ? maxSeconds : null,
  };
}
