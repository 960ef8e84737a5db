import { ALT_TEXT_MAX } from "#core/media-limits.ts";
import { quoted } from "./quoted.ts";
import type { MediaItem } from "#wire/schemas/media.ts";

/** Describes a stored file on one line, with its alt text and cover. */
export function mediaLine({
  url,
  type,
  width,
  height,
  duration_seconds: seconds,
  alt_text: altText,
  cover,
}: MediaItem): string {
  const size = width === null || height === null ? "" : ` ${width}×${height}`;
  return `- ${type}${size}${seconds === null ? "" : ` ${Math.round(seconds * 10) / 10} s`}: ${url}${altText === null ? "" : `, described as ${quoted(altText, ALT_TEXT_MAX)}`}${cover === null ? "" : `, cover ${cover.url ?? `at ${cover.at_ms} ms`}`}`;
}
