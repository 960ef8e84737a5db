import type { MediaType } from "#core/status.ts";
import type { ContentType } from "./types.ts";

interface ContentTypeInfo {
  readonly type: MediaType;
  readonly extensions: readonly [string, ...string[]];
}

/** Every supported type; a stored file gets the first extension. */
export const CONTENT_TYPES = {
  "image/jpeg": { type: "image", extensions: ["jpg", "jpeg"] },
  "image/png": { type: "image", extensions: ["png"] },
  "image/webp": { type: "image", extensions: ["webp"] },
  "image/gif": { type: "image", extensions: ["gif"] },
  "video/mp4": { type: "video", extensions: ["mp4", "m4v"] },
  "video/quicktime": { type: "video", extensions: ["mov"] },
  "video/webm": { type: "video", extensions: ["webm"] },
} as const satisfies Record<ContentType, ContentTypeInfo>;

export const CONTENT_TYPES_TEXT = "JPEG, PNG, WebP and GIF images, MP4, MOV and WebM videos";

const ALIASES: Readonly<Record<string, ContentType>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "video/x-m4v": "video/mp4",
  "application/mp4": "video/mp4",
};

/** Normalizes a declared content type, without its parameters; null for an unsupported one. */
export function parseContentType(declared: string): ContentType | null {
  const name = declared.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (Object.hasOwn(CONTENT_TYPES, name)) {
    return name as ContentType;
  }
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? null) : null;
}

/** MP4 and MOV are variants of one container format and often confused; every other type must be the declared one. */
export function isSameFormat(declared: ContentType, detected: ContentType): boolean {
  const family = (type: ContentType) => (type === "video/quicktime" ? "video/mp4" : type);
  return family(declared) === family(detected);
}
