import type { LibraryItem } from "#media/index.ts";

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** Writes bytes as `3.4 MB`. Each unit is 1024 times the smaller one, as in the limits of the plans. */
export function formatBytes(bytes: number): string {
  const exponent = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** exponent;
  return `${exponent === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${UNITS[exponent] ?? ""}`;
}

/** Writes a duration as `1:05` or `1:02:05`. */
function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(whole % 60)}`;
}

/** Describes a file: `JPG · 1200 × 800 · 3.4 MB`, with the length of a video or the pages of a document. */
export function describeMedia(item: LibraryItem): string {
  const extension = item.filename.slice(item.filename.lastIndexOf(".") + 1).toUpperCase();
  return [
    extension,
    item.width !== null && item.height !== null && `${item.width} × ${item.height}`,
    typeof item.facts["pages"] === "number" && `${item.facts["pages"]} ${item.facts["pages"] === 1 ? "page" : "pages"}`,
    item.type === "video" && item.durationSeconds !== null && formatDuration(item.durationSeconds),
    formatBytes(item.sizeBytes),
  ]
    .filter((part) => part !== false)
    .join(" · ");
}
