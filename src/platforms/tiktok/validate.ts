import type { JsonObject } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, type MediaRule, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import {
  IMAGE,
  IMAGE_LONG_SIDE,
  IMAGE_SHORT_SIDE,
  limits,
  PHOTO_CAPTION_MAX,
  PHOTO_TITLE_MAX,
  VIDEO,
  VIDEO_CAPTION_MAX,
  VIDEO_RATIO_SAFE,
} from "./limits.ts";
import { isDraft, isPublic, options, privacyLevel, titleOf } from "./options.ts";

export function validate(draft: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, draft.options);
  const isVideo = draft.media.some((media) => media.type === "video");
  const captionLimit = isVideo ? VIDEO_CAPTION_MAX : PHOTO_CAPTION_MAX;
  const rules: Record<MediaDescription["type"], MediaRule> = {
    image: IMAGE,
    video: videoRule(draft.account.capabilities),
  };
  return {
    options: parsed.options,
    placement: isDraft(parsed.options) ? "draft" : null,
    captionLength: draft.caption.length,
    captionLimit,
    problems: [
      ...captionProblems(draft.caption, captionLimit),
      ...parsed.problems,
      ...titleProblems(draft.options, isVideo),
      ...accountProblems(draft, isVideo),
      ...countProblems(draft.media, limits.media),
      ...draft.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
      ...draft.media.flatMap(imageSizeProblems),
    ],
    warnings: [
      ...optionWarnings(draft, isVideo),
      ...accountWarnings(draft, isVideo),
      ...draft.media.flatMap(ratioWarnings),
    ],
    cost: null,
  };
}

/** The account's own ceiling, where it is known and lower. */
function videoRule(capabilities: JsonObject): MediaRule {
  const longest = capabilities["maxVideoSeconds"];
  return typeof longest === "number" && longest > 0
    ? { ...VIDEO, maxSeconds: Math.min(VIDEO.maxSeconds, longest) }
    : VIDEO;
}

function captionProblems(caption: string, limit: number): readonly ValidationProblem[] {
  return caption.length > limit
    ? [
        {
          code: "caption_too_long",
          message: `TikTok takes at most ${limit} characters here`,
          param: "caption",
          limit,
          actual: caption.length,
        },
      ]
    : [];
}

function titleProblems(asked: JsonObject, isVideo: boolean): readonly ValidationProblem[] {
  const { length } = titleOf(asked);
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

/** What the platform, the app's audit and the account's own settings let this account do. */
function accountProblems(draft: ValidationInput, isVideo: boolean): readonly ValidationProblem[] {
  const { capabilities } = draft.account;
  const problems: ValidationProblem[] = [];
  const problem = (code: string, option: string, message: string) =>
    problems.push({ code, message, param: `platform_options.${option}` });
  if (isDraft(draft.options)) {
    if (capabilities["mayDraft"] === false) {
      problem("account_not_eligible", "is_draft", "the login does not allow drafts: connect the account again");
    }
    return problems;
  }
  const levels = capabilities["privacyLevels"];
  const isUnaudited = draft.settings["AUDITED"] === "false";
  if (isPublic(draft.options) && isUnaudited) {
    problem(
      "option_not_allowed",
      "privacy_status",
      "TikTok has not audited this service's app: only private posts are possible until then",
    );
  } else if (Array.isArray(levels) && !levels.includes(privacyLevel(draft.options))) {
    problem(
      "option_not_allowed",
      "privacy_status",
      isPublic(draft.options)
        ? "this account cannot post publicly: it is private, or TikTok has not audited this service's app"
        : "this account cannot post privately",
    );
  }
  if (!isVideo && draft.options["is_ai_generated"] === true) {
    problem("option_conflict", "is_ai_generated", "TikTok can label videos alone as made by AI, not images");
  }
  return problems;
}

function imageSizeProblems(media: MediaDescription, index: number): readonly ValidationProblem[] {
  if (media.type !== "image" || media.width === null || media.height === null) {
    return [];
  }
  const short = Math.min(media.width, media.height);
  const long = Math.max(media.width, media.height);
  return short <= IMAGE_SHORT_SIDE && long <= IMAGE_LONG_SIDE
    ? []
    : [
        {
          code: "media_dimensions",
          message: `an image may be at most ${IMAGE_SHORT_SIDE}×${IMAGE_LONG_SIDE} pixels, either way round`,
          param: `media_items[${index}]`,
          limit: `${IMAGE_SHORT_SIDE}×${IMAGE_LONG_SIDE}`,
          actual: `${media.width}×${media.height}`,
        },
      ];
}

const VIDEO_ONLY = ["allow_duet", "allow_stitch"] as const;
const LOST_IN_DRAFTS = ["privacy_status", "allow_comment", "allow_duet", "allow_stitch", "is_ai_generated"] as const;

function optionWarnings(draft: ValidationInput, isVideo: boolean): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  const isAsked = (option: string) => draft.options[option] !== undefined;
  const ignored = (which: readonly string[], why: string) => {
    if (which.length > 0) {
      warnings.push({ code: "option_ignored", message: `${which.join(", ")}: ${why}` });
    }
  };
  if (isVideo) {
    ignored(["title"].filter(isAsked), "a video has no title at TikTok; its caption is what readers see");
  } else if (!isDraft(draft.options)) {
    ignored(VIDEO_ONLY.filter(isAsked), "means something for videos only");
  }
  if (isDraft(draft.options)) {
    ignored(LOST_IN_DRAFTS.filter(isAsked), "the settings of a draft are made in the TikTok app");
    warnings.push({
      code: "draft_unfinished",
      message: "nothing is posted: the draft waits in the TikTok app's inbox until the person finishes it",
    });
  }
  if (isDraft(draft.options) && isVideo && draft.caption !== "") {
    warnings.push({ code: "caption_lost", message: "TikTok takes no caption with the draft of a video" });
  }
  return warnings;
}

function accountWarnings(draft: ValidationInput, isVideo: boolean): readonly ValidationWarning[] {
  const { capabilities } = draft.account;
  const warnings: ValidationWarning[] = [];
  if (typeof capabilities["refusal"] === "string") {
    warnings.push({ code: "account_not_eligible", message: capabilities["refusal"] });
  }
  if (isDraft(draft.options)) {
    return warnings;
  }
  const switches = [
    ["allow_comment", "commentDisabled", "comments"],
    ...(isVideo
      ? ([
          ["allow_duet", "duetDisabled", "duets"],
          ["allow_stitch", "stitchDisabled", "stitches"],
        ] as const)
      : []),
  ] as const;
  for (const [option, capability, what] of switches) {
    if (draft.options[option] !== false && capabilities[capability] === true) {
      warnings.push({
        code: "option_not_allowed",
        message: `${option}: the account has switched ${what} off, and they stay off`,
      });
    }
  }
  return warnings;
}

function ratioWarnings(media: MediaDescription): readonly ValidationWarning[] {
  const ratio = media.type === "video" && media.width && media.height ? media.width / media.height : null;
  return ratio !== null && (ratio > VIDEO_RATIO_SAFE + 0.01 || ratio < 1 / VIDEO_RATIO_SAFE - 0.01)
    ? [{ code: "media_aspect_ratio", message: "TikTok may refuse videos wider than 16:9 or taller than 9:16" }]
    : [];
}
