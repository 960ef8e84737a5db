import type { JsonObject } from "#core/json.ts";
import type { CreatorInfo, LinkedSentence, OptionAvailability, OptionForm, OptionSwitch } from "#platforms/contract.ts";
import { FIT_FIELD } from "#platforms/form-contract.ts";
import { PHOTO_TITLE_MAX } from "./limits.ts";
import { isBrandedContent, isDraft, PRIVATE_LEVEL, PUBLIC_LEVEL } from "./options.ts";

/*
 * What TikTok's audit reads in a user interface (https://developers.tiktok.com/doc/content-sharing-guidelines): who can see the
 * post is chosen by the person, interactions are off until they are allowed, commercial content is disclosed.
 */

const MUSIC = {
  text: "TikTok’s Music Usage Confirmation",
  url: "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en",
};
const BRANDED_CONTENT = {
  text: "TikTok’s Branded Content Policy",
  url: "https://www.tiktok.com/legal/page/global/bc-policy/en",
};

const LEVEL_OF_PRIVACY = { public: PUBLIC_LEVEL, private: PRIVATE_LEVEL } as const;

function availability(creator: CreatorInfo): OptionAvailability {
  const off = "This account does not allow it; it can be changed in the TikTok app.";
  return {
    choices: {
      privacy_status: Object.entries(LEVEL_OF_PRIVACY).flatMap(([value, level]) =>
        creator.privacyOptions.includes(level) ? [value] : [],
      ),
    },
    disabled: {
      ...(!creator.commentAllowed && { allow_comment: off }),
      ...(!creator.duetAllowed && { allow_duet: off }),
      ...(!creator.stitchAllowed && { allow_stitch: off }),
    },
  };
}

function statements(options: JsonObject): readonly LinkedSentence[] {
  return [
    isBrandedContent(options)
      ? ["By posting, you agree to ", BRANDED_CONTENT, " and ", MUSIC, "."]
      : ["By posting, you agree to ", MUSIC, "."],
    ["After publishing, TikTok may need a few minutes to process the post before it is visible on the profile."],
  ];
}

const COMMERCIAL_CONTENT = {
  key: "promotes",
  label: "This post promotes something",
  unanswered: "Say whether the post promotes yourself, someone else, or both, or switch it off.",
} as const satisfies OptionSwitch;

export const optionForm = {
  fields: {
    privacy_status: {
      label: "Who can see the post",
      choices: { "": "Choose who can see it", public: "Everyone", private: "Only you" },
      mustChoose: (options: JsonObject) => !isDraft(options),
    },
    allow_comment: { label: "Comments", group: "Allow others to", initial: "false" },
    allow_duet: { label: "Duets", initial: "false", onlyFor: "video" },
    allow_stitch: { label: "Stitches", initial: "false", onlyFor: "video" },
    disclose_your_brand: {
      label: "Your brand",
      hint: "You promote yourself or your own business. The post is labelled “Promotional content”.",
      group: "Disclose commercial content",
      behind: COMMERCIAL_CONTENT,
    },
    disclose_branded_content: {
      label: "Branded content",
      hint: "You promote another brand or a third party. The post is labelled “Paid partnership” and cannot be private.",
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
