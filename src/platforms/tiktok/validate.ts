import { apiName, member, naming } from "#core/message-parts.ts";
import type { DetailCode } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
  MediaRule,
} from "#platforms/contract.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import {
  IMAGE,
  limits,
  PHOTO_CAPTION_MAX,
  PHOTO_TITLE_MAX,
  VIDEO_CAPTION_MAX,
  SAFE_VIDEO_RATIO,
  videoRule,
} from "./limits.ts";
import {
  toCreatorInfo,
  isBrandedContent,
  isDraft,
  options,
  PRIVATE_LEVEL,
  privacyChoices,
  privacyLevel,
  PUBLIC_LEVEL,
  titleOf,
} from "./options.ts";
import { DRAFT_SCOPE, isAudited, requestedScopes } from "./hosts.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const isVideo = input.media.some((media) => media.type === "video");
  const captionLimit = isVideo ? VIDEO_CAPTION_MAX : PHOTO_CAPTION_MAX;
  const rules: Record<MediaDescription["type"], MediaRule> = {
    image: IMAGE,
    video: videoRule(input.account.capabilities),
  };
  return {
    options: parsed.options,
    placement: isDraft(parsed.options) ? "draft" : null,
    captionLength: input.caption.length,
    captionLimit,
    problems: [
      ...captionProblems(input.caption, captionLimit),
      ...parsed.problems,
      ...titleProblems(input.options, isVideo),
      ...coverIndexProblems(input, isVideo),
      ...accountProblems(input, isVideo),
      ...countProblems(input.media, limits.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
    ],
    creator: toCreatorInfo(input.account.capabilities, isAudited(input.settings)),
    warnings: [
      ...optionWarnings(input, isVideo),
      ...accountWarnings(input, isVideo),
      ...altTextWarnings("tiktok", input.media, limits.media),
      ...coverWarnings("tiktok", input.media, limits.media),
      ...input.media.flatMap(ratioWarnings),
    ],
    cost: null,
  };
}

function captionProblems(caption: string, limit: number): readonly ValidationProblem[] {
  return caption.length > limit
    ? [
        {
          code: "caption_too_long",
          message: `TikTok accepts at most ${limit} characters here`,
          param: "caption",
          limit,
          actual: caption.length,
        },
      ]
    : [];
}

function titleProblems(requestedOptions: JsonObject, isVideo: boolean): readonly ValidationProblem[] {
  const { length } = titleOf(requestedOptions);
  return !isVideo && length > PHOTO_TITLE_MAX
    ? [
        {
          code: "option_invalid",
          message: `the title of an image post has at most ${PHOTO_TITLE_MAX} characters`,
          param: "platform_options.title",
          limit: PHOTO_TITLE_MAX,
          actual: length,
        },
      ]
    : [];
}

function coverIndexProblems(
  { options: requested, media }: ValidationInput,
  isVideo: boolean,
): readonly ValidationProblem[] {
  const index = requested["photo_cover_index"];
  return !isVideo && typeof index === "number" && media.length > 0 && index >= media.length
    ? [
        {
          code: "option_conflict",
          message: `the post has ${media.length} images: the last one is ${media.length - 1}`,
          param: "platform_options.photo_cover_index",
        },
      ]
    : [];
}

/** Finds what TikTok, the app's missing audit or the account's own settings do not allow. */
function accountProblems(input: ValidationInput, isVideo: boolean): readonly ValidationProblem[] {
  const { capabilities } = input.account;
  const problems: ValidationProblem[] = [];
  const problem = (code: DetailCode, option: string, said: string | ReturnType<typeof naming>) =>
    problems.push({
      code,
      ...(typeof said === "string" ? { message: said } : said),
      param: `platform_options.${option}`,
    });
  if (isDraft(input.options)) {
    if (capabilities["mayDraft"] === false) {
      problem(
        "account_not_eligible",
        "is_draft",
        requestedScopes(input.settings).includes(DRAFT_SCOPE)
          ? `the login did not grant drafts (${DRAFT_SCOPE}): connect the account again and allow them`
          : `drafts need the scope ${DRAFT_SCOPE}, which this service does not ask for: its operator adds it to TIKTOK_SCOPES when TikTok has approved it, then the account is connected again`,
      );
    }
    return problems;
  }
  if (isBrandedContent(input.options) && privacyLevel(input.options) === PRIVATE_LEVEL) {
    problem(
      "option_conflict",
      "disclose_branded_content",
      naming`branded content cannot be private: choose another ${member("privacy_status")}, or leave ${member("disclose_branded_content")} out`,
    );
  }
  const levels = capabilities["privacyLevels"];
  if (!isAudited(input.settings)) {
    if (privacyLevel(input.options) !== PRIVATE_LEVEL) {
      problem(
        "option_not_allowed",
        "privacy_status",
        naming`TikTok has not audited this service's app and accepts only private posts (${PRIVATE_LEVEL}) from it: set ${member("privacy_status")} to private`,
      );
    }
    if (Array.isArray(levels) && levels.includes(PUBLIC_LEVEL)) {
      problems.push({
        code: "account_not_eligible",
        message:
          "TikTok has not audited this service's app and accepts posts from it only for private accounts: set the account to private in the TikTok app",
        param: "account_id",
      });
    }
  } else if (Array.isArray(levels) && !levels.includes(privacyLevel(input.options))) {
    problem(
      "option_not_allowed",
      "privacy_status",
      naming`TikTok does not offer this account that audience now: set ${member("privacy_status")} to ${privacyChoices(levels).join(", ")}`,
    );
  }
  if (!isVideo && input.options["is_ai_generated"] === true) {
    problem("option_conflict", "is_ai_generated", "TikTok can label only videos as made by AI, not images");
  }
  return problems;
}

const IMAGE_ONLY_OPTIONS = ["auto_add_music", "photo_cover_index"] as const;
const VIDEO_ONLY_OPTIONS = ["allow_duet", "allow_stitch"] as const;
const IGNORED_IN_DRAFTS = [
  "auto_add_music",
  "privacy_status",
  "allow_comment",
  "allow_duet",
  "allow_stitch",
  "is_ai_generated",
  "disclose_your_brand",
  "disclose_branded_content",
] as const;

function optionWarnings(input: ValidationInput, isVideo: boolean): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  const isRequested = (option: string) => (input.options[option] ?? null) !== null;
  const ignored = (which: readonly string[], why: string) => {
    if (which.length > 0) {
      warnings.push({ code: "option_ignored", ...naming`${which.map(member)}: ${why}` });
    }
  };
  if (isVideo) {
    ignored(["title"].filter(isRequested), "a video has no title at TikTok; only its text is displayed");
    ignored(IMAGE_ONLY_OPTIONS.filter(isRequested), "applies to images only");
  } else if (!isDraft(input.options)) {
    ignored(VIDEO_ONLY_OPTIONS.filter(isRequested), "applies to videos only");
  }
  if (isDraft(input.options)) {
    ignored(IGNORED_IN_DRAFTS.filter(isRequested), "the settings of a draft are chosen in the TikTok app");
    warnings.push({
      code: "draft_unfinished",
      message: "nothing is posted: the draft stays in the TikTok app's inbox until the user finishes it",
    });
  }
  if (isDraft(input.options) && input.media.some(({ cover }) => cover?.atMs !== undefined)) {
    warnings.push({
      code: "cover_ignored",
      ...naming`TikTok takes no cover${apiName("cover.at_ms")} with a video draft`,
    });
  }
  if (isDraft(input.options) && isVideo && input.caption !== "") {
    warnings.push({ code: "caption_lost", message: "TikTok accepts no text with a video draft" });
  }
  return warnings;
}

function accountWarnings(input: ValidationInput, isVideo: boolean): readonly ValidationWarning[] {
  const { capabilities } = input.account;
  const warnings: ValidationWarning[] = [];
  if (typeof capabilities["refusal"] === "string") {
    warnings.push({ code: "account_not_eligible", message: capabilities["refusal"] });
  }
  if (isDraft(input.options)) {
    return warnings;
  }
  const toggles = [
    ["allow_comment", "commentDisabled", "comments"],
    ...(isVideo
      ? ([
          ["allow_duet", "duetDisabled", "duets"],
          ["allow_stitch", "stitchDisabled", "stitches"],
        ] as const)
      : []),
  ] as const;
  for (const [option, capability, what] of toggles) {
    if (input.options[option] !== false && capabilities[capability] === true) {
      warnings.push({
        code: "option_not_allowed",
        ...naming`${member(option)}: the account has disabled ${what}, and they stay disabled`,
      });
    }
  }
  return warnings;
}

function ratioWarnings(media: MediaDescription): readonly ValidationWarning[] {
  const ratio = media.type === "video" && media.width && media.height ? media.width / media.height : null;
  return ratio !== null && (ratio > SAFE_VIDEO_RATIO + 0.01 || ratio < 1 / SAFE_VIDEO_RATIO - 0.01)
    ? [{ code: "media_aspect_ratio", message: "TikTok may refuse videos wider than 16:9 or taller than 9:16" }]
    : [];
}
