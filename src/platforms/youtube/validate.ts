import { byteLength } from "#core/bytes.ts";
import { member, naming } from "#core/message-parts.ts";
import type { JsonObject } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import { firstCommentOf } from "#platforms/first-comment.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
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

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const placement = placementOf(input.media);
  const captionLength = byteLength(input.caption);
  const canBeLong = mayUploadLong(input.account.capabilities);
  return {
    options: parsed.options,
    placement,
    captionLength,
    captionLimit: DESCRIPTION_MAX_BYTES,
    problems: [
      ...captionProblems(input.caption, captionLength),
      ...parsed.problems,
      ...commentProblems(parsed.options),
      ...countProblems(input.media, limits.media),
      ...input.media.flatMap((media, index) => videoProblems(media, index, canBeLong)),
      ...coverProblems("youtube", input.media, limits.media),
    ],
    warnings: [
      ...altTextWarnings("youtube", input.media, limits.media),
      ...coverWarnings("youtube", input.media, limits.media),
      ...collectWarnings(input.media, placement, canBeLong),
    ],
    cost: null,
  };
}

function captionProblems(caption: string, length: number): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (length > DESCRIPTION_MAX_BYTES) {
    problems.push({
      code: "caption_too_long",
      message: `YouTube accepts descriptions of at most ${DESCRIPTION_MAX_BYTES} bytes of UTF-8`,
      param: "caption",
      limit: DESCRIPTION_MAX_BYTES,
      actual: length,
    });
  }
  if (/[<>]/.test(caption)) {
    problems.push({
      code: "caption_invalid",
      message: "YouTube accepts no < or > in a description",
      param: "caption",
    });
  }
  return problems;
}

/**
 * Finds comments that are impossible: they are off on private videos and on those made for kids
 * (support.google.com/youtube/answer/9483359).
 */
function commentProblems(requested: JsonObject): readonly ValidationProblem[] {
  const off =
    requested["made_for_kids"] === true
      ? "made for kids"
      : requested["privacy_status"] === "private"
        ? "private"
        : null;
  return off === null || firstCommentOf(requested) === null
    ? []
    : [
        {
          code: "option_conflict",
          ...naming`YouTube takes no comments on a video that is ${off}: leave ${member("first_comment")} out`,
          param: "platform_options.first_comment",
        },
      ];
}

function videoProblems(
  media: MediaDescription,
  index: number,
  canBeLong: boolean | null,
): readonly ValidationProblem[] {
  if (media.type !== "video") {
    return [];
  }
  if (canBeLong !== false) {
    return mediaProblems(media, index, VIDEO);
  }
  const message = "this channel accepts videos of up to 15 minutes: verify its phone number at YouTube for longer ones";
  return mediaProblems(media, index, { ...VIDEO, maxSeconds: UNVERIFIED_MAX_SECONDS }).map((problem) =>
    problem.code === "media_duration" ? { ...problem, message } : problem,
  );
}

function isLongerThan(media: MediaDescription | undefined, seconds: number): boolean {
  return media?.durationSeconds !== null && media?.durationSeconds !== undefined && media.durationSeconds > seconds;
}

/** Where YouTube shows the video. YouTube decides by ratio and duration; the caller cannot choose. */
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

function collectWarnings(
  media: readonly MediaDescription[],
  placement: "short" | "long" | null,
  canBeLong: boolean | null,
): readonly ValidationWarning[] {
  const [video] = media;
  const warnings: ValidationWarning[] = [];
  if (placement === "short" && isLongerThan(video, SHORT_CLAIM_SECONDS)) {
    warnings.push({
      code: "short_over_a_minute",
      message:
        "a Short of more than one minute is blocked worldwide if a copyright claim is made on its music or images",
    });
  }
  if (canBeLong === null && isLongerThan(video, UNVERIFIED_MAX_SECONDS)) {
    warnings.push({
      code: "media_duration",
      message: "videos of more than 15 minutes need a channel with a verified phone number",
    });
  }
  return warnings;
}
