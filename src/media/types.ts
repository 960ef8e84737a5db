import type { DetailCode } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";

/** A media item as callers see it, with the facts that validation needs. */
export interface ResolvedMedia extends StoredMediaItem {
  readonly filename: string;
  /** A `MediaFacts`, as stored. */
  readonly facts: JsonObject;
}

/**
 * What inspection found beside dimensions and duration. Absent members are unknown. The width and height of an item already
 * have orientation and rotation applied.
 */
export interface MediaFacts {
  /** EXIF orientation 1..8. */
  readonly orientation?: number;
  readonly animated?: boolean;
  readonly frames?: number;
  /** `h264`, `hevc`, `av1`, `vp8`, `vp9`, `mpeg4`, `prores`, `mjpeg`, or the file's own four characters. */
  readonly videoCodec?: string;
  /** `aac`, `mp3`, `opus`, `vorbis`, `ac3`, `eac3`, `alac`, `flac`, `pcm`, the file's own four characters; null without audio. */
  readonly audioCodec?: string | null;
  readonly audioChannels?: number;
  readonly audioSampleRate?: number;
  /** Frames per second, rounded to thousandths. */
  readonly frameRate?: number;
  /** Degrees by which a player rotates the picture clockwise. */
  readonly rotation?: number;
  /** Of the whole file, in bits per second. */
  readonly bitRate?: number;
  /** Whether the index (`moov`) is before the media data. */
  readonly moovFirst?: boolean;
  readonly editList?: boolean;
  readonly fragmented?: boolean;
}

export type ContentType =
  | "image/jpeg"
  | "image/png"
  | "image/webp"
  | "image/gif"
  | "video/mp4"
  | "video/quicktime"
  | "video/webm";

/** The result of inspecting a file. */
export interface Inspection {
  readonly type: MediaType;
  readonly contentType: ContentType;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly facts: MediaFacts;
}

/** Why a file or its source was refused; the request parameter is added by the caller. */
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
