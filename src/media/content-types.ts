import type { MediaType } from "#core/status.ts";
import type { ContentType } from "./types.ts";

interface Known {
  readonly type: MediaType;
  readonly extensions: readonly [string, ...string[]];
}

/** Every type we keep; the first extension is the one a stored file gets. */
export const CONTENT_TYPES = {
  "image/jpeg": { type: "image", extensions: ["jpg", "jpeg"] },
  "image/png": { type: "image", extensions: ["png"] },
  "image/webp": { type: "image", extensions: ["webp"] },
  "image/gif": { type: "image", extensions: ["gif"] },
  "video/mp4": { type: "video", extensions: ["mp4", "m4v"] },
  "video/quicktime": { type: "video", extensions: ["mov"] },
  "video/webm": { type: "video", extensions: ["webm"] },
} as const satisfies Record<ContentType, Known>;

export const CONTENT_TYPE_WORDS = "JPEG, PNG, WebP and GIF images, MP4, MOV and WebM videos";

const ALIASES: Readonly<Record<string, ContentType>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "video/x-m4v": "video/mp4",
  "application/mp4": "video/mp4",
};

/** A declared type in our spelling, without parameters; null for one we do not keep. */
export function readContentType(declared: string): ContentType | null {
  const word = declared.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (Object.hasOwn(CONTENT_TYPES, word)) {
    return word as ContentType;
  }
  return Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? null) : null;
}

/** MP4 and MOV are one container under two names, and people mix them up; everything else must be what it was said to be. */
export function agrees(declared: ContentType, found: ContentType): boolean {
  const family = (type: ContentType) => (type === "video/quicktime" ? "video/mp4" : type);
  return family(declared) === family(found);
}
