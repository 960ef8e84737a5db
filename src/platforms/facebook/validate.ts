import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, layoutWarnings, type MediaRule, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { IMAGE, limits, REEL, REEL_LONG_SIDE, REEL_RATIO_ADVISED, REEL_SHORT_SIDE, TEXT_MAX, VIDEO } from "./limits.ts";
import { options } from "./options.ts";

const OWN_LINK = /\bhttps?:\/\/(?:[\w-]+\.)*(?:facebook\.com|fb\.me|fb\.watch)\b/iu;

export function validate(draft: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, draft.options);
  const hasVideo = draft.media.some((media) => media.type === "video");
  const placement = parsed.value?.placement ?? (hasVideo ? "reels" : "timeline");
  const isReel = hasVideo && placement === "reels";
  const rules: Record<MediaDescription["type"], MediaRule> = { image: IMAGE, video: isReel ? REEL : VIDEO };
  return {
    options: parsed.value ? { ...parsed.options, placement } : parsed.options,
    placement,
    captionLength: draft.caption.length,
    captionLimit: TEXT_MAX,
    problems: [
      ...captionProblems(draft),
      ...parsed.problems,
      ...(draft.options["placement"] === "reels" && !hasVideo ? [REEL_WITHOUT_VIDEO] : []),
      ...countProblems(draft.media, limits.media),
      ...draft.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
      ...(isReel ? draft.media.flatMap(reelSizeProblems) : []),
    ],
    warnings: warnings(draft, isReel),
    cost: null,
  };
}

const REEL_WITHOUT_VIDEO: ValidationProblem = {
  code: "option_conflict",
  message: "a reel is exactly one video: it cannot hold images or text alone",
  param: "platform_options.placement",
};

function captionProblems(draft: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (draft.caption.trim() === "" && draft.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (draft.caption.length > TEXT_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `Facebook takes at most ${TEXT_MAX} characters`,
      param: "caption",
      limit: TEXT_MAX,
      actual: draft.caption.length,
    });
  }
  return problems;
}

function reelSizeProblems(media: MediaDescription, index: number): readonly ValidationProblem[] {
  if (media.type !== "video" || media.width === null || media.height === null) {
    return [];
  }
  const short = Math.min(media.width, media.height);
  const long = Math.max(media.width, media.height);
  return short >= REEL_SHORT_SIDE && long >= REEL_LONG_SIDE
    ? []
    : [
        {
          code: "media_dimensions",
          message: `a reel must be at least ${REEL_SHORT_SIDE}×${REEL_LONG_SIDE} pixels`,
          param: `media_items[${index}]`,
          limit: `${REEL_SHORT_SIDE}×${REEL_LONG_SIDE}`,
          actual: `${media.width}×${media.height}`,
        },
      ];
}

function warnings(draft: ValidationInput, isReel: boolean): readonly ValidationWarning[] {
  const found: ValidationWarning[] = draft.media.flatMap((media, index) => layoutWarnings(media, index));
  if (OWN_LINK.test(draft.caption)) {
    found.push({ code: "link_may_be_refused", message: "Facebook refuses some links to itself" });
  }
  for (const media of draft.media) {
    const ratio = media.width && media.height ? media.width / media.height : null;
    if (isReel && ratio !== null && ratio > REEL_RATIO_ADVISED + 0.01) {
      found.push({
        code: "media_aspect_ratio",
        message: "a reel is meant to be 9:16; Facebook may crop or refuse other ratios",
      });
    }
    if (!isReel && media.type === "video" && ratio !== null && ratio < 1 && (media.durationSeconds ?? 0) <= 90) {
      found.push({
        code: "may_become_draft",
        message: "Facebook has turned short upright videos of the timeline into drafts: post it as a reel",
      });
    }
  }
  return found;
}
