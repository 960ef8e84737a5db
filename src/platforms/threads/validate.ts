import type { ValidationInput, ValidationProblem, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import { countProblems, layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { CAROUSEL_MAX, IMAGE, LINKS_MAX, limits, TEXT_ADVISED, TEXT_MAX, VIDEO } from "./limits.ts";
import { options } from "./options.ts";
import { linksIn, tagsIn, textLength } from "./text.ts";

export function validate(draft: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, draft.options);
  const captionLength = textLength(draft.caption);
  return {
    options: parsed.options,
    placement: null,
    captionLength,
    captionLimit: TEXT_MAX,
    problems: [
      ...textProblems(draft, captionLength),
      ...parsed.problems,
      ...setProblems(draft),
      ...draft.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: [
      ...textWarnings(draft.caption, captionLength),
      ...draft.media.flatMap((media, index) => layoutWarnings(media, index)),
    ],
    cost: null,
  };
}

function textProblems(draft: ValidationInput, length: number): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (draft.caption.trim() === "" && draft.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (length > TEXT_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `Threads takes at most ${TEXT_MAX} characters, an emoji counts its UTF-8 bytes`,
      param: "caption",
      limit: TEXT_MAX,
      actual: length,
    });
  }
  const links = linksIn(draft.caption).length;
  if (links > LINKS_MAX) {
    const message = `Threads takes at most ${LINKS_MAX} different links`;
    problems.push({ code: "too_many_links", message, param: "caption", limit: LINKS_MAX, actual: links });
  }
  return problems;
}

function textWarnings(caption: string, length: number): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  if (length > TEXT_ADVISED && length <= TEXT_MAX) {
    warnings.push({
      code: "caption_near_limit",
      message: `${length} of ${TEXT_MAX} characters: Threads may count some letters higher`,
    });
  }
  const [topic, ...others] = tagsIn(caption);
  if (topic && others.length > 0) {
    warnings.push({ code: "one_topic", message: `${topic} becomes the topic; the other tags stay plain text` });
  }
  return warnings;
}

function setProblems(draft: ValidationInput): readonly ValidationProblem[] {
  const problems = countProblems(draft.media, limits.media);
  const actual = draft.media.length;
  return actual > CAROUSEL_MAX && problems.length === 0
    ? [
        {
          code: "media_too_many",
          message: `a carousel holds at most ${CAROUSEL_MAX} items`,
          param: "media_items",
          limit: CAROUSEL_MAX,
          actual,
        },
      ]
    : problems;
}
