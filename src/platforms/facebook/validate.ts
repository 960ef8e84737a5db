import { member, naming } from "#core/message-parts.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
import { countProblems, layoutWarnings, type MediaRule, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { isStory } from "#platforms/story.ts";
import { hasOwnLink } from "./link.ts";
import { COVER_SCOPES, IMAGE, limits, limitsOf, REEL, CAPTION_MAX, VIDEO } from "./limits.ts";
import { options } from "./options.ts";
import { validateStory } from "./validate-story.ts";
import { ratioWarnings, roleWarnings } from "./warnings.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  if (isStory(input.options)) {
    return validateStory(input, parsed);
  }
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
      ...(input.media.length > 0 && typeof input.options["link"] === "string" ? [LINK_WITH_MEDIA] : []),
      ...countProblems(input.media, limits.media),
      ...coverProblems("facebook", input.media, limitsOf(input.account.capabilities).media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
    ],
    warnings: collectWarnings(input, isReel),
    cost: null,
  };
}

const WITHOUT_COVERS = `takes a cover only with the rights ${COVER_SCOPES.join(" and ")}, which the login of this account does not have`;

const REEL_WITHOUT_VIDEO_PROBLEM: ValidationProblem = {
  code: "option_conflict",
  message: "a reel is exactly one video: it cannot contain images or only text",
  param: "platform_options.placement",
};

const LINK_WITH_MEDIA: ValidationProblem = {
  code: "option_conflict",
  message: "a link card belongs to a text: leave out the media or the link",
  param: "platform_options.link",
};

function captionProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  const hasLink = typeof input.options["link"] === "string";
  if (input.caption.trim() === "" && input.media.length === 0 && !hasLink) {
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
  const warnings: ValidationWarning[] = [
    ...altTextWarnings("facebook", input.media, limits.media),
    ...coverWarnings("facebook", input.media, limitsOf(input.account.capabilities).media, WITHOUT_COVERS),
    ...input.media.flatMap((media, index) => layoutWarnings(media, index)),
  ];
  const hasVideo = input.media.some(({ type }) => type === "video");
  const ignored = (hasVideo ? ["place"] : ["title"]).filter((name) => typeof input.options[name] === "string");
  for (const name of ignored) {
    const appliesTo = hasVideo ? "texts and images" : "videos";
    warnings.push({ code: "option_ignored", ...naming`${member(name)} applies to ${appliesTo} only and is ignored` });
  }
  warnings.push(...roleWarnings(input.account.capabilities));
  if (hasOwnLink(input.caption)) {
    warnings.push({ code: "link_may_be_refused", message: "Facebook refuses some links to itself" });
  }
  if (isReel) {
    return [...warnings, ...ratioWarnings(input.media, "a reel")];
  }
  for (const media of input.media) {
    const ratio = media.width && media.height ? media.width / media.height : null;
    if (media.type === "video" && ratio !== null && ratio < 1 && (media.durationSeconds ?? 0) <= 90) {
      warnings.push({
        code: "may_become_draft",
        message: "Facebook has turned short vertical timeline videos into drafts: post it as a reel",
      });
    }
  }
  return warnings;
}
