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
  DESCRIPTION_MAX_BYTES,
  limits,
  mayUploadLong,
  SHORT_CLAIM_SECONDS,
  SHORT_MAX_SECONDS,
  UNVERIFIED_MAX_SECONDS,
  VIDEO,
} from "./limits.ts";
import { options } from "./options.ts";

export function validate(draft: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, draft.options);
  const placement = placementOf(draft.media);
  const captionLength = new TextEncoder().encode(draft.caption).byteLength;
  const mayBeLong = mayUploadLong(draft.account.capabilities);
  return {
    options: parsed.options,
    placement,
    captionLength,
    captionLimit: DESCRIPTION_MAX_BYTES,
    problems: [
      ...captionProblems(draft.caption, captionLength),
      ...parsed.problems,
      ...countProblems(draft.media, limits.media),
      ...draft.media.flatMap((media, index) => videoProblems(media, index, mayBeLong)),
    ],
    warnings: warnings(draft.media, placement, mayBeLong),
    cost: null,
  };
}

function captionProblems(caption: string, length: number): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (length > DESCRIPTION_MAX_BYTES) {
    problems.push({
      code: "caption_too_long",
      message: `YouTube takes descriptions of at most ${DESCRIPTION_MAX_BYTES} bytes of UTF-8`,
      param: "caption",
      limit: DESCRIPTION_MAX_BYTES,
      actual: length,
    });
  }
  if (/[<>]/.test(caption)) {
    problems.push({
      code: "caption_invalid",
      message: "YouTube takes no < or > in a description",
      param: "caption",
    });
  }
  return problems;
}

function videoProblems(
  media: MediaDescription,
  index: number,
  mayBeLong: boolean | null,
): readonly ValidationProblem[] {
  if (media.type !== "video") {
    return [];
  }
  const problems = mediaProblems(media, index, VIDEO);
  const isLong = isLongerThan(media, UNVERIFIED_MAX_SECONDS);
  return mayBeLong === false && isLong
    ? [
        ...problems,
        {
          code: "media_duration",
          message: "this channel takes videos of up to 15 minutes: verify its phone number at YouTube for longer ones",
          param: `media_items[${index}]`,
          limit: UNVERIFIED_MAX_SECONDS,
          actual: media.durationSeconds ?? 0,
        },
      ]
    : problems;
}

function isLongerThan(media: MediaDescription | undefined, seconds: number): boolean {
  return media?.durationSeconds !== null && media?.durationSeconds !== undefined && media.durationSeconds > seconds;
}

/** YouTube decides by shape and length alone; nobody can ask for the one or the other. */
function placementOf(media: readonly MediaDescription[]): "short" | "long" | null {
  const [video] = media;
  if (media.length !== 1 || video?.type !== "video") {
    return null;
  }
  const { width, height, durationSeconds } = video;
  const isWide = width !== null && height !== null && width > height;
  if (isWide || isLongerThan(video, SHORT_MAX_SECONDS)) {
    return "long";
  }
  return width === null || height === null || durationSeconds === null ? null : "short";
}

function warnings(
  media: readonly MediaDescription[],
  placement: "short" | "long" | null,
  mayBeLong: boolean | null,
): readonly ValidationWarning[] {
  const [video] = media;
  const found: ValidationWarning[] = [];
  if (placement === "short" && isLongerThan(video, SHORT_CLAIM_SECONDS)) {
    found.push({
      code: "short_over_a_minute",
      message: "a Short of more than a minute is blocked worldwide when somebody claims its music or pictures",
    });
  }
  if (mayBeLong === null && isLongerThan(video, UNVERIFIED_MAX_SECONDS)) {
    found.push({
      code: "media_duration",
      message: "videos of more than 15 minutes need a channel with a verified phone number",
    });
  }
  return found;
}
