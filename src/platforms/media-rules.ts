import { member, naming } from "#core/message-parts.ts";
import type { DetailCode } from "#core/codes.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type {
  LimitCondition,
  LimitRule,
  MediaDescription,
  MediaRule,
  PlatformLimits,
  ValidationProblem,
  ValidationWarning,
} from "./contract.ts";
import { ffmpegLine } from "./ffmpeg-line.ts";

/** By how much (s) a video may exceed a duration limit: less than a frame, because file headers round. */
const DURATION_TOLERANCE_SECONDS = 0.05;
const RATIO_TOLERANCE = 0.005;

export function mediaProblems(media: MediaDescription, index: number, rule: MediaRule): readonly ValidationProblem[] {
  const param = `media_items[${index}]`;
  const problems: ValidationProblem[] = [];
  const add = (code: DetailCode, message: string, limit: number | string, actual: number | string) =>
    problems.push({ code, message, param, limit, actual });
  const numberFact = (name: string) => (typeof media.facts[name] === "number" ? media.facts[name] : null);
  const textFact = (name: string) => (typeof media.facts[name] === "string" ? media.facts[name].toLowerCase() : null);

  if (!rule.contentTypes.includes(media.contentType)) {
    add(
      "media_type_unsupported",
      `${media.contentType} is not accepted here; use ${rule.contentTypes.join(", ")}`,
      rule.contentTypes.join(", "),
      media.contentType,
    );
  }
  if (media.sizeBytes > rule.maxBytes) {
    add("media_too_large", `at most ${rule.maxBytes} bytes are accepted`, rule.maxBytes, media.sizeBytes);
  }
  if (rule.minBytes !== undefined && media.sizeBytes < rule.minBytes) {
    add("media_too_small", `at least ${rule.minBytes} bytes are required`, rule.minBytes, media.sizeBytes);
  }
  checkRange(media.width, rule.minWidth, rule.maxWidth, 0, (limit, actual) =>
    add("media_dimensions", `width must be ${describeRange(rule.minWidth, rule.maxWidth)} pixels`, limit, actual),
  );
  checkRange(media.height, rule.minHeight, rule.maxHeight, 0, (limit, actual) =>
    add("media_dimensions", `height must be ${describeRange(rule.minHeight, rule.maxHeight)} pixels`, limit, actual),
  );
  const sides = media.width !== null && media.height !== null ? [media.width, media.height] : null;
  checkRange(sides && Math.min(...sides), rule.minShortSide, rule.maxShortSide, 0, (limit, actual) =>
    add(
      "media_dimensions",
      `the shorter side must be ${describeRange(rule.minShortSide, rule.maxShortSide)} pixels`,
      limit,
      actual,
    ),
  );
  checkRange(sides && Math.max(...sides), rule.minLongSide, rule.maxLongSide, 0, (limit, actual) =>
    add(
      "media_dimensions",
      `the longer side must be ${describeRange(rule.minLongSide, rule.maxLongSide)} pixels`,
      limit,
      actual,
    ),
  );
  const pixels = media.width !== null && media.height !== null ? media.width * media.height : null;
  checkRange(pixels, undefined, rule.maxPixels, 0, (limit, actual) =>
    add("media_dimensions", `width × height may be at most ${limit} pixels`, limit, actual),
  );
  const frames = numberFact("frames");
  checkRange(frames, undefined, rule.maxFrames, 0, (limit, actual) =>
    add("media_frames", `an animation may have at most ${limit} frames`, limit, actual),
  );
  checkRange(frames === null ? null : frames * (pixels ?? 0), undefined, rule.maxFramePixels, 0, (limit, actual) =>
    add("media_frames", `width × height × frames of an animation may be at most ${limit}`, limit, actual),
  );
  const ratio = media.width && media.height ? media.width / media.height : null;
  checkRange(ratio, rule.minRatio, rule.maxRatio, RATIO_TOLERANCE, (limit, actual) =>
    add(
      "media_aspect_ratio",
      `width divided by height must be ${describeRange(rule.minRatio, rule.maxRatio)}`,
      limit,
      Math.round(actual * 1000) / 1000,
    ),
  );
  checkRange(media.durationSeconds, rule.minSeconds, rule.maxSeconds, DURATION_TOLERANCE_SECONDS, (limit, actual) =>
    add("media_duration", `duration must be ${describeRange(rule.minSeconds, rule.maxSeconds)} seconds`, limit, actual),
  );
  checkRange(numberFact("frameRate"), rule.minFrameRate, rule.maxFrameRate, 0.05, (limit, actual) =>
    add(
      "media_frame_rate",
      `frame rate must be ${describeRange(rule.minFrameRate, rule.maxFrameRate)} per second`,
      limit,
      actual,
    ),
  );
  for (const [name, allowed] of [
    ["videoCodec", rule.videoCodecs],
    ["audioCodec", rule.audioCodecs],
  ] as const) {
    const codec = textFact(name);
    if (allowed && codec !== null && !allowed.includes(codec)) {
      add("media_codec", `${codec} is not accepted here; use ${allowed.join(", ")}`, allowed.join(", "), codec);
    }
  }
  const [first, ...others] = problems;
  const isMoving = media.type === "video" || media.facts["animated"] === true;
  const command = first && isMoving ? ffmpegLine(media, rule) : null;
  return first && command !== null ? [{ ...first, command }, ...others] : problems;
}

/**
 * The limits of a rule, in the form of `PlatformLimits.rules`. So the checked and the published limits cannot differ.
 */
export function mediaRuleLimits(of: string, rule: MediaRule, when?: LimitCondition): readonly LimitRule[] {
  const bounds: readonly Omit<LimitRule, "of">[] = [
    { measure: "content_type", allowed: rule.contentTypes },
    { measure: "bytes", ...range(rule.minBytes, rule.maxBytes) },
    { measure: "width", ...range(rule.minWidth, rule.maxWidth) },
    { measure: "height", ...range(rule.minHeight, rule.maxHeight) },
    { measure: "short_side", ...range(rule.minShortSide, rule.maxShortSide) },
    { measure: "long_side", ...range(rule.minLongSide, rule.maxLongSide) },
    { measure: "pixels", ...range(undefined, rule.maxPixels) },
    { measure: "frames", ...range(undefined, rule.maxFrames) },
    { measure: "frame_pixels", ...range(undefined, rule.maxFramePixels) },
    { measure: "ratio", ...range(rule.minRatio, rule.maxRatio) },
    { measure: "seconds", ...range(rule.minSeconds, rule.maxSeconds) },
    { measure: "frame_rate", ...range(rule.minFrameRate, rule.maxFrameRate) },
    { measure: "video_codec", ...(rule.videoCodecs && { allowed: rule.videoCodecs }) },
    { measure: "audio_codec", ...(rule.audioCodecs && { allowed: rule.audioCodecs }) },
  ];
  return bounds
    .filter(({ min, max, allowed }) => min !== undefined || max !== undefined || allowed !== undefined)
    .map((bound) => ({ of, ...bound, ...(when && { when }) }));
}

function range(min: number | undefined, max: number | undefined): Pick<LimitRule, "min" | "max"> {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function checkRange(
  actual: number | null,
  min: number | undefined,
  max: number | undefined,
  tolerance: number,
  onViolation: (limit: number, actual: number) => void,
): void {
  if (actual === null) {
    return;
  }
  if (min !== undefined && actual < min - tolerance) {
    onViolation(min, actual);
  } else if (max !== undefined && actual > max + tolerance) {
    onViolation(max, actual);
  }
}

function describeRange(min: number | undefined, max: number | undefined): string {
  if (min === undefined) {
    return `at most ${max}`;
  }
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

const OTHER_KIND = { image: "a video", video: "an image" } as const;

/** The problems with the number and mix of media. `mediaProblems` checks each item. */
export function countProblems(
  media: readonly MediaDescription[],
  limits: PlatformLimits["media"],
): readonly ValidationProblem[] {
  const images = media.filter((item) => item.type === "image").length;
  const videos = media.length - images;
  const problems: ValidationProblem[] = [];
  const add = (code: DetailCode, message: string, limit: number, actual: number) =>
    problems.push({ code, message, param: "media_items", limit, actual });
  if (media.length === 0 && !limits.textOnly) {
    const what =
      limits.images === null ? "a video" : limits.videos === null ? "an image" : "at least one image or video";
    add("media_required", `${what} is required`, 1, 0);
  }
  if (images > 0 && videos > 0 && !limits.mixed) {
    problems.push({
      code: "media_mixed",
      message: "one post cannot contain both images and videos",
      param: "media_items",
    });
  }
  for (const [kind, count, max] of [
    ["image", images, limits.images?.max ?? 0],
    ["video", videos, limits.videos?.max ?? 0],
  ] as const) {
    if (count > max) {
      const message =
        max === 0
          ? `${kind}s are not accepted here: ${limits.textOnly ? "remove them" : `${OTHER_KIND[kind]} is required`}`
          : `one post can contain at most ${max} ${kind}${max === 1 ? "" : "s"}`;
      add("media_too_many", message, max, count);
    }
  }
  return problems;
}

/**
 * Warnings about the layout of an MP4. Platforms that download the file document one layout (index first, no edit list)
 * but sometimes accept others.
 */
export function layoutWarnings(media: MediaDescription, index: number): readonly ValidationWarning[] {
  const warn = (issue: string): ValidationWarning => ({
    code: "media_layout",
    ...naming`${member(`media_items[${index}]`)}: ${issue}; the platform may refuse it`,
  });
  return [
    ...(media.facts["moovFirst"] === false ? [warn("the index of the file is at its end (faststart is missing)")] : []),
    ...(media.facts["editList"] === true ? [warn("the file has an edit list")] : []),
  ];
}

/**
 * The largest request body (bytes) that a Durable Object can certainly send. Cloudflare names a limit for such bodies,
 * and this is its smallest for any body (docs/live-calls-cloudflare.md).
 */
const SURE_BODY_BYTES = 100_000_000;
const MB = 1_000_000;

/** Warnings about a large file, for platforms that take a file neither in parts nor by its URL. */
export function singleBodyWarnings(
  platform: Platform,
  media: readonly MediaDescription[],
): readonly ValidationWarning[] {
  return media.flatMap(({ sizeBytes }, index) =>
    sizeBytes > SURE_BODY_BYTES
      ? [
          {
            code: "media_near_limit" as const,
            ...naming`${member(`media_items[${index}]`)} has ${Math.ceil(sizeBytes / MB)} MB, and ${PLATFORM_NAMES[platform]} takes it in one request: Cloudflare may not send more than ${SURE_BODY_BYTES / MB} MB, and the upload would fail`,
          },
        ]
      : [],
  );
}

const VIDEO_PREPARE_AHEAD_MS = 10 * 60_000;
const IMAGE_PREPARE_AHEAD_MS = 2 * 60_000;

/** How long (ms) before the due time uploads start, so that only the visible call remains at the due time. */
export function defaultPrepareAheadMs(media: readonly MediaDescription[]): number {
  if (media.length === 0) {
    return 0;
  }
  return media.some((item) => item.type === "video") ? VIDEO_PREPARE_AHEAD_MS : IMAGE_PREPARE_AHEAD_MS;
}
