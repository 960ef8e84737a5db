import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";

/** A media item as the caller sees it, with what validation reads beside its columns. */
export interface ResolvedMedia extends StoredMediaItem {
  readonly filename: string;
  /** A `MediaFacts`, as stored. */
  readonly facts: JsonObject;
}

/**
 * What the bytes told beyond size and duration. Absent members are unknown, not wrong. Width and height of an item are as
 * displayed: orientation and rotation are already applied.
 */
export interface MediaFacts {
  /** EXIF orientation 1..8. */
  readonly orientation?: number;
  readonly animated?: boolean;
  readonly frames?: number;
  /** `h264`, `hevc`, `av1`, `vp8`, `vp9`, `mpeg4`, `prores`, `mjpeg`, or the file's own four characters. */
  readonly videoCodec?: string;
  /** `aac`, `mp3`, `opus`, `vorbis`, `ac3`, `eac3`, `alac`, `flac`, `pcm`, the file's own four characters; null without sound. */
  readonly audioCodec?: string | null;
  readonly audioChannels?: number;
  readonly audioSampleRate?: number;
  /** Frames a second, rounded to thousandths. */
  readonly frameRate?: number;
  /** Degrees clockwise that a player turns the picture. */
  readonly rotation?: number;
  /** Of the whole file, bits a second. */
  readonly bitRate?: number;
  /** Whether the index stands before the data. */
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

/** What a file turned out to be. */
export interface Inspection {
  readonly type: MediaType;
  readonly contentType: ContentType;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly facts: MediaFacts;
}

/** Why a file or its source was not taken; the caller's parameter is added where it is known. */
export interface MediaProblem {
  readonly code: string;
  readonly message: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: MediaProblem };

export function bad(code: string, message: string, numbers: Pick<MediaProblem, "limit" | "actual"> = {}) {
  return { ok: false, problem: { code, message, ...numbers } } as const;
}
