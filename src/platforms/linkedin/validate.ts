import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import {
  CAPTION_MAX,
  GIF_FRAMES_MAX,
  IMAGE,
  limits,
  PIXELS_MAX,
  VIDEO,
  VIDEO_MIN_BYTES,
  VIDEO_RATIO_MAX,
} from "./limits.ts";
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
      ...input.media.flatMap((media, index) =>
        media.type === "video" ? videoProblems(media, index) : imageProblems(media, index),
      ),
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

function imageProblems(media: MediaDescription, index: number): readonly ValidationProblem[] {
  const problems = [...mediaProblems(media, index, IMAGE)];
  const param = `media_items[${index}]`;
  const pixels = (media.width ?? 0) * (media.height ?? 0);
  if (pixels > PIXELS_MAX) {
    const message = `width × height may be at most ${PIXELS_MAX} pixels`;
    problems.push({ code: "media_dimensions", message, param, limit: PIXELS_MAX, actual: pixels });
  }
  const { frames } = media.facts;
  if (typeof frames === "number" && frames > GIF_FRAMES_MAX) {
    const message = `an animated GIF may have at most ${GIF_FRAMES_MAX} frames`;
    problems.push({ code: "media_frames", message, param, limit: GIF_FRAMES_MAX, actual: frames });
  }
  return problems;
}

function videoProblems(media: MediaDescription, index: number): readonly ValidationProblem[] {
  const problems = mediaProblems(media, index, VIDEO);
  return media.sizeBytes < VIDEO_MIN_BYTES
    ? [
        ...problems,
        {
          code: "media_too_small",
          message: `a video must have at least ${VIDEO_MIN_BYTES} bytes`,
          param: `media_items[${index}]`,
          limit: VIDEO_MIN_BYTES,
          actual: media.sizeBytes,
        },
      ]
    : problems;
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
