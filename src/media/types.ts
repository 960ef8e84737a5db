import type { DetailCode } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { FileType, MediaType } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";

/** A stored file with the facts that a check needs: a media item as callers see it, or a document. */
export interface ResolvedFile extends Omit<StoredMediaItem, "type"> {
  readonly type: FileType;
  readonly filename: string;
  readonly facts: JsonObject;
}

export interface ResolvedMedia extends ResolvedFile {
  readonly type: MediaType;
}

/** A document, which only an option of a target can use. */
export interface ResolvedDocument extends ResolvedFile {
  readonly type: "document";
}

export function isMedia<File extends { readonly type: FileType }>(
  file: File,
): file is File & { readonly type: MediaType } {
  return file.type !== "document";
}

export function isDocument<File extends { readonly type: FileType }>(
  file: File,
): file is File & { readonly type: "document" } {
  return file.type === "document";
}

/**
 * What inspection found in a file, apart from dimensions and duration. Absent members are unknown. The item's width and
 * height already include orientation and rotation.
 */
export interface MediaFacts {
  /** The EXIF orientation of an image, 1 to 8. */
  readonly orientation?: number;
  readonly animated?: boolean;
  readonly frames?: number;
  /**
   * The video codec: `h264`, `hevc`, `av1`, `vp8`, `vp9`, `mpeg4`, `prores`, `mjpeg`, or the four characters in the
   * file.
   */
  readonly videoCodec?: string;
  /**
   * The audio codec: `aac`, `mp3`, `opus`, `vorbis`, `ac3`, `eac3`, `alac`, `flac`, `pcm`, or the four characters in
   * the file. Null without audio.
   */
  readonly audioCodec?: string | null;
  readonly audioChannels?: number;
  readonly audioSampleRate?: number;
  /** Frames per second, rounded to thousandths. */
  readonly frameRate?: number;
  /** By how many degrees a player turns the picture clockwise. */
  readonly rotation?: number;
  /** The bit rate of the whole file, in bits per second. */
  readonly bitRate?: number;
  /** Whether the index (`moov`) of an MP4 or MOV file is before the media data. */
  readonly moovFirst?: boolean;
  readonly editList?: boolean;
  readonly fragmented?: boolean;
  /** The number of pages, only for a document. */
  readonly pages?: number;
}

export type ContentType =
  | "image/jpeg"
  | "image/png"
  | "image/webp"
  | "image/gif"
  | "video/mp4"
  | "video/quicktime"
  | "video/webm"
  | "application/pdf";

/** Image types that are stored as JPEG, because platforms and many browsers do not accept them. */
export type ConvertedType = "image/heic" | "image/avif";

/** The types that a caller may send. HEIC and AVIF only if Cloudflare's image transformations are bound. */
export type ReceivedType = ContentType | ConvertedType;

export interface Inspection {
  readonly type: FileType;
  readonly contentType: ContentType;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly facts: MediaFacts;
}

/** Why a file or its source was refused. The caller adds the member of the request. */
export interface MediaProblem {
  readonly code: DetailCode;
  readonly message: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

export type CheckResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: MediaProblem };

export function checkFailed(code: DetailCode, message: string, numbers: Pick<MediaProblem, "limit" | "actual"> = {}) {
  return { ok: false, problem: { code, message, ...numbers } } as const;
}
