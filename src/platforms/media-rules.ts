import type { MediaDescription, PlatformLimits, ValidationProblem, ValidationWarning } from "./contract.ts";

/** What one image or video may be. Absent members are not checked; neither is what the bytes did not tell. */
export interface MediaRule {
  readonly contentTypes: readonly string[];
  readonly maxBytes: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
  readonly minSeconds?: number;
  readonly maxSeconds?: number;
  readonly minFrameRate?: number;
  readonly maxFrameRate?: number;
  readonly videoCodecs?: readonly string[];
  readonly audioCodecs?: readonly string[];
}

/** A header tells seconds with a rounding of its own; less than a frame is not worth a refusal. */
const SECONDS_SLACK = 0.05;
const RATIO_SLACK = 0.005;

export function mediaProblems(media: MediaDescription, index: number, rule: MediaRule): readonly ValidationProblem[] {
  const param = `media_items[${index}]`;
  const problems: ValidationProblem[] = [];
  const add = (code: string, message: string, limit: number | string, actual: number | string) =>
    problems.push({ code, message, param, limit, actual });
  const number = (name: string) => (typeof media.facts[name] === "number" ? media.facts[name] : null);
  const word = (name: string) => (typeof media.facts[name] === "string" ? media.facts[name].toLowerCase() : null);

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
  bound(media.width, rule.minWidth, rule.maxWidth, 0, (limit, actual) =>
    add("media_dimensions", `width must be ${range(rule.minWidth, rule.maxWidth)} pixels`, limit, actual),
  );
  bound(media.height, rule.minHeight, rule.maxHeight, 0, (limit, actual) =>
    add("media_dimensions", `height must be ${range(rule.minHeight, rule.maxHeight)} pixels`, limit, actual),
  );
  const ratio = media.width && media.height ? media.width / media.height : null;
  bound(ratio, rule.minRatio, rule.maxRatio, RATIO_SLACK, (limit, actual) =>
    add(
      "media_aspect_ratio",
      `width divided by height must be ${range(rule.minRatio, rule.maxRatio)}`,
      limit,
      Math.round(actual * 1000) / 1000,
    ),
  );
  bound(media.durationSeconds, rule.minSeconds, rule.maxSeconds, SECONDS_SLACK, (limit, actual) =>
    add("media_duration", `duration must be ${range(rule.minSeconds, rule.maxSeconds)} seconds`, limit, actual),
  );
  bound(number("frameRate"), rule.minFrameRate, rule.maxFrameRate, 0.05, (limit, actual) =>
    add(
      "media_frame_rate",
      `frame rate must be ${range(rule.minFrameRate, rule.maxFrameRate)} per second`,
      limit,
      actual,
    ),
  );
  for (const [name, allowed] of [
    ["videoCodec", rule.videoCodecs],
    ["audioCodec", rule.audioCodecs],
  ] as const) {
    const codec = word(name);
    if (allowed && codec !== null && !allowed.includes(codec)) {
      add("media_codec", `${codec} is not accepted here; use ${allowed.join(", ")}`, allowed.join(", "), codec);
    }
  }
  return problems;
}

function bound(
  actual: number | null,
  min: number | undefined,
  max: number | undefined,
  slack: number,
  outside: (limit: number, actual: number) => void,
): void {
  if (actual === null) {
    return;
  }
  if (min !== undefined && actual < min - slack) {
    outside(min, actual);
  } else if (max !== undefined && actual > max + slack) {
    outside(max, actual);
  }
}

function range(min: number | undefined, max: number | undefined): string {
  if (min === undefined) {
    return `at most ${max}`;
  }
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

/** How many images and videos may stand together; the rules of each one are `mediaProblems`. */
export function countProblems(
  media: readonly MediaDescription[],
  limits: PlatformLimits["media"],
): readonly ValidationProblem[] {
  const images = media.filter((item) => item.type === "image").length;
  const videos = media.length - images;
  const problems: ValidationProblem[] = [];
  const add = (code: string, message: string, limit: number, actual: number) =>
    problems.push({ code, message, param: "media_items", limit, actual });
  if (media.length === 0 && !limits.textOnly) {
    add("media_required", "at least one image or video is required", 1, 0);
  }
  if (images > 0 && videos > 0 && !limits.mixed) {
    problems.push({
      code: "media_mixed",
      message: "images and videos cannot stand in one post here",
      param: "media_items",
    });
  }
  for (const [kind, count, most] of [
    ["image", images, limits.images?.max ?? 0],
    ["video", videos, limits.videos?.max ?? 0],
  ] as const) {
    if (count > most) {
      add("media_too_many", `at most ${most} ${kind}${most === 1 ? "" : "s"} can stand in one post`, most, count);
    }
  }
  return problems;
}

/** How an MP4 is laid out: most platforms that pull files document the one way, and take the other at times. */
export function layoutWarnings(media: MediaDescription, index: number): readonly ValidationWarning[] {
  const warn = (what: string) => ({
    code: "media_layout",
    message: `media_items[${index}]: ${what}; the platform may refuse it`,
  });
  return [
    ...(media.facts["moovFirst"] === false
      ? [warn("the index of the file stands at its end (faststart is missing)")]
      : []),
    ...(media.facts["editList"] === true ? [warn("the file has an edit list")] : []),
  ];
}

const AHEAD_VIDEO_MS = 10 * 60_000;
const AHEAD_IMAGE_MS = 2 * 60_000;

/** How early uploads and processing begin, so that only the visible call is left at the due time. */
export function aheadOf(media: readonly MediaDescription[]): number {
  if (media.length === 0) {
    return 0;
  }
  return media.some((item) => item.type === "video") ? AHEAD_VIDEO_MS : AHEAD_IMAGE_MS;
}
