import type { MediaDescription, MediaRule } from "./contract.ts";

/* Writes the ffmpeg command that makes a video or animated GIF fit. The service never converts these itself; a
   refusal names the command for their owner. */

const AUDIO_KBIT = 128;
/** The share of the largest size at which the command aims, because encoders miss their bitrate by some percent. */
const SIZE_MARGIN = 0.9;
const LEAST_KBIT = 100;

const even = (side: number) => Math.max(2, Math.floor(side / 2) * 2);

/**
 * The command that makes a file fit all limits of the rule. Null if no command can, as for a video that is too short.
 */
export function ffmpegLine(media: MediaDescription, rule: MediaRule): string | null {
  const isGif = media.contentType === "image/gif";
  const seconds = media.durationSeconds;
  if (seconds !== null && rule.minSeconds !== undefined && seconds < rule.minSeconds) {
    return null;
  }
  const keepsGif = isGif && rule.contentTypes.includes("image/gif");
  const filters = [...scaleFilters(media, rule), ...frameFilters(media, rule)];
  const cut = seconds !== null && rule.maxSeconds !== undefined && seconds > rule.maxSeconds ? rule.maxSeconds : null;
  const words = [
    "ffmpeg",
    `-i input.${isGif ? "gif" : "mp4"}`,
    ...(cut === null ? [] : [`-t ${cut}`]),
    ...(keepsGif && isAbove(media.facts["frames"], rule.maxFrames) ? [`-frames:v ${rule.maxFrames}`] : []),
    ...(filters.length === 0 ? [] : [`-vf "${filters.join(",")}"`]),
    ...(keepsGif
      ? ["output.gif"]
      : ["-c:v libx264 -pix_fmt yuv420p", ...rate(media, rule, cut), "-c:a aac -movflags +faststart output.mp4"]),
  ];
  return words.join(" ");
}

const isAbove = (value: unknown, max: number | undefined): boolean =>
  typeof value === "number" && max !== undefined && value > max;

function rate({ sizeBytes, durationSeconds }: MediaDescription, { maxBytes }: MediaRule, cut: number | null): string[] {
  if (sizeBytes <= maxBytes || durationSeconds === null) {
    return [];
  }
  const kbit = (maxBytes * 8 * SIZE_MARGIN) / 1000 / (cut ?? durationSeconds) - AUDIO_KBIT;
  return [`-b:v ${Math.max(LEAST_KBIT, Math.floor(kbit))}k -b:a ${AUDIO_KBIT}k`];
}

function frameFilters({ facts }: MediaDescription, { minFrameRate, maxFrameRate }: MediaRule): string[] {
  const frames = facts["frameRate"];
  if (isAbove(frames, maxFrameRate)) {
    return [`fps=${maxFrameRate}`];
  }
  return typeof frames === "number" && minFrameRate !== undefined && frames < minFrameRate
    ? [`fps=${minFrameRate}`]
    : [];
}

/** The filters of the command: borders if the shape must change, then scaling to the largest allowed size. */
function scaleFilters(media: MediaDescription, rule: MediaRule): string[] {
  const { width, height, facts } = media;
  if (width === null || height === null) {
    return [];
  }
  const [wide, high] = [
    Math.max(width, height * (rule.minRatio ?? 0)),
    Math.max(height, rule.maxRatio === undefined ? 0 : width / rule.maxRatio),
  ];
  const [short, long] = [Math.min(wide, high), Math.max(wide, high)];
  const frames = typeof facts["frames"] === "number" ? Math.min(facts["frames"], rule.maxFrames ?? Infinity) : 1;
  const most = Math.min(
    (rule.maxWidth ?? Infinity) / wide,
    (rule.maxHeight ?? Infinity) / high,
    (rule.maxShortSide ?? Infinity) / short,
    (rule.maxLongSide ?? Infinity) / long,
    Math.sqrt((rule.maxPixels ?? Infinity) / (wide * high)),
    Math.sqrt((rule.maxFramePixels ?? Infinity) / (wide * high * frames)),
  );
  const least = Math.max(
    (rule.minWidth ?? 0) / wide,
    (rule.minHeight ?? 0) / high,
    (rule.minShortSide ?? 0) / short,
    (rule.minLongSide ?? 0) / long,
  );
  const scale = Math.min(Math.max(1, least), most);
  // Video encoders accept only even sides.
  const isEven = width % 2 === 0 && height % 2 === 0;
  if (scale === 1 && wide === width && high === height && isEven) {
    return [];
  }
  const size = `${even(wide * scale)}:${even(high * scale)}`;
  return [`scale=${size}:force_original_aspect_ratio=decrease`, `pad=${size}:(ow-iw)/2:(oh-ih)/2`];
}
