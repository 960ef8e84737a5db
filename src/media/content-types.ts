import type { FileType } from "#core/status.ts";
import { IMAGES_INPUT, MAX_BYTES, MAX_BYTES_TEXT } from "./limits.ts";
import type { ContentType, ConvertedType, ReceivedType } from "./types.ts";

interface ContentTypeInfo {
  readonly type: FileType;
  readonly extensions: readonly [string, ...string[]];
}

/** Every supported content type with its file extensions. A stored file gets the first one. */
export const CONTENT_TYPES = {
  "image/jpeg": { type: "image", extensions: ["jpg", "jpeg"] },
  "image/png": { type: "image", extensions: ["png"] },
  "image/webp": { type: "image", extensions: ["webp"] },
  "image/gif": { type: "image", extensions: ["gif"] },
  "video/mp4": { type: "video", extensions: ["mp4", "m4v"] },
  "video/quicktime": { type: "video", extensions: ["mov"] },
  "video/webm": { type: "video", extensions: ["webm"] },
  "application/pdf": { type: "document", extensions: ["pdf"] },
} as const satisfies Record<ContentType, ContentTypeInfo>;

/** Types that the service converts to JPEG, if Cloudflare's image transformations are bound. */
export const CONVERTED_TYPES = {
  "image/heic": { type: "image", extensions: ["heic", "heif"] },
  "image/avif": { type: "image", extensions: ["avif"] },
} as const satisfies Record<ConvertedType, ContentTypeInfo>;

export const CONTENT_TYPES_TEXT = "JPEG, PNG, WebP and GIF images, MP4, MOV and WebM videos";
export const RECEIVED_TYPES_TEXT = "JPEG, PNG, WebP, GIF, HEIC and AVIF images, MP4, MOV and WebM videos";

export function isConverted(type: ReceivedType): type is ConvertedType {
  return Object.hasOwn(CONVERTED_TYPES, type);
}

interface ReceivedKind {
  readonly type: FileType;
  readonly maxBytes: number;
  readonly maxBytesText: string;
  readonly name: string;
}

const CONVERTED_KIND: ReceivedKind = {
  type: "image",
  maxBytes: IMAGES_INPUT.maxBytes,
  maxBytesText: `${IMAGES_INPUT.maxBytes / 1_000_000} MB`,
  name: "HEIC or AVIF image",
};

/** As which type a received file is stored, and how large it may be. */
export function receivedKind(received: ReceivedType): ReceivedKind {
  if (isConverted(received)) {
    return CONVERTED_KIND;
  }
  const { type } = CONTENT_TYPES[received];
  return { type, maxBytes: MAX_BYTES[type], maxBytesText: MAX_BYTES_TEXT[type], name: type };
}

const ALIASES: Readonly<Record<string, ReceivedType>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "image/heif": "image/heic",
  "video/x-m4v": "video/mp4",
  "application/mp4": "video/mp4",
};

/** Normalizes a declared content type, without its parameters. Null for an unsupported type. */
export function parseContentType(declared: string): ReceivedType | null {
  const name = declared.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (Object.hasOwn(CONTENT_TYPES, name) || Object.hasOwn(CONVERTED_TYPES, name)) {
    return name as ReceivedType;
  }
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? null) : null;
}

/**
 * Whether a declared type fits the detected one. MP4 and MOV, and HEIC and AVIF, are variants of a container format
 * that programs confuse. All other types must match.
 */
export function isSameFormat(declared: ReceivedType, detected: ReceivedType): boolean {
  const family = (type: ReceivedType) =>
    type === "video/quicktime" ? "video/mp4" : type === "image/avif" ? "image/heic" : type;
  return family(declared) === family(detected);
}
