import type { ValidationInput, ValidationProblem, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { CAPTION_MAX, IMAGE, limits, VIDEO, VIDEO_RATIO_MAX } from "./limits.ts";
import { options } from "./options.ts";
import { toLittleText } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  return {
    options: parsed.options,
    placement: null,
    captionLength: countCaption(input),
    captionLimit: CAPTION_MAX,
    problems: [
      ...captionProblems(input),
      ...parsed.problems,
      ...countProblems(input.media, limits.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: collectWarnings(input),
    cost: null,
  };
}

/** Whether the escapes count is not documented, so they do unless the operator says otherwise. */
function countCaption({ caption, settings }: ValidationInput): number {
  return settings["CAPTION_COUNT"] === "visible" ? caption.length : toLittleText(caption).length;
}

function captionProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (input.caption.trim() === "" && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  const length = countCaption(input);
  if (length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message:
        length > input.caption.length
          ? `LinkedIn accepts at most ${CAPTION_MAX} characters, and its format needs more than one for each special character and hashtag`
          : `LinkedIn accepts at most ${CAPTION_MAX} characters`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: length,
    });
  }
  return problems;
}

function collectWarnings(input: ValidationInput): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  const escapedLength = toLittleText(input.caption).length;
  if (countCaption(input) <= CAPTION_MAX && escapedLength > CAPTION_MAX) {
    warnings.push({
      code: "caption_near_limit",
      message: `LinkedIn requires a backslash before special characters, which makes the text ${escapedLength} characters long: LinkedIn may refuse it`,
    });
  }
  for (const [index, media] of input.media.entries()) {
    const ratio = media.width && media.height ? media.width / media.height : 1;
    if (media.type === "video" && (ratio > VIDEO_RATIO_MAX || ratio < 1 / VIDEO_RATIO_MAX)) {
      warnings.push({
        code: "media_aspect_ratio",
        message: `media_items[${index}]: LinkedIn may refuse videos wider or taller than 1:${VIDEO_RATIO_MAX}`,
      });
    }
  }
  return warnings;
}
