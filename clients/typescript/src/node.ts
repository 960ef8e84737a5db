import { openAsBlob } from "node:fs";
import { basename, extname } from "node:path";

/** The types that the service takes, by the ends of their files' names. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".heic": "image/heic",
  ".heif": "image/heic",
  ".avif": "image/avif",
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
};

/**
 * A file of this machine for `upload`. It is read when it is sent, part by part, and never held in memory whole.
 */
export async function fileFromPath(path: string): Promise<File> {
  const type = CONTENT_TYPES[extname(path).toLowerCase()] ?? "";
  return new File([await openAsBlob(path, { type })], basename(path), { type });
}
