import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, layoutWarnings, type MediaRule, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { hasOwnLink } from "./link.ts";
import { IMAGE, limits, REEL, REEL_RATIO_ADVISED, CAPTION_MAX, VIDEO } from "./limits.ts";
import { options } from "./options.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const hasVideo = input.media.some((media) => media.type === "video");
  const placement = parsed.value?.placement ?? (hasVideo ? "reels" : "timeline");
  const isReel = hasVideo && placement === "reels";
  const rules: Record<MediaDescription["type"], MediaRule> = { image: IMAGE, video: isReel ? REEL : VIDEO };
  return {
    options: parsed.value ? { ...parsed.options, placement } : parsed.options,
    placement,
    captionLength: input.caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...captionProblems(input),
      ...parsed.problems,
      ...(input.options["placement"] === "reels" && !hasVideo ? [REEL_WITHOUT_VIDEO_PROBLEM] : []),
      ...countProblems(input.media, limits.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
    ],
    warnings: collectWarnings(input, isReel),
    cost: null,
  };
}

const REEL_WITHOUT_VIDEO_PROBLEM: ValidationProblem = {
  code: "option_conflict",
  message: "a reel is exactly one video: it cannot contain images or only text",
  param: "platform_options.placement",
};

function captionProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (input.caption.trim() === "" && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (input.caption.length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `Facebook accepts at most ${CAPTION_MAX} characters`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: input.caption.length,
    });
  }
  return problems;
}

function collectWarnings(input: ValidationInput, isReel: boolean): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = input.media.flatMap((media, index) => layoutWarnings(media, index));
  if (input.account.capabilities["maySeeOnly"] === true) {
    warnings.push({
      code: "account_not_eligible",
      message: "Facebook lists no task for your role on this Page that allows creating posts: ask its administrator",
    });
  }
  if (hasOwnLink(input.caption)) {
    warnings.push({ code: "link_may_be_refused", message: "Facebook refuses some links to itself" });
  }
  for (const media of input.media) {
    const ratio = media.width && media.height ? media.width / media.height : null;
    if (isReel && ratio !== null && ratio > REEL_RATIO_ADVISED + 0.01) {
      warnings.push({
        code: "media_aspect_ratio",
        message: "a reel should be 9:16; Facebook may crop or refuse other ratios",
      });
    }
    if (!isReel && media.type === "video" && ratio !== null && ratio < 1 && (media.durationSeconds ?? 0) <= 90) {
      warnings.push({
        code: "may_become_draft",
        message: "Facebook has turned short vertical timeline videos into drafts: post it as a reel",
      });
    }
  }
  return warnings;
}
