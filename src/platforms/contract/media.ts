import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/* The files of a post, what a platform accepts, and the copy that makes an image fit. */

/** The picture that is a cover; it has neither a description nor a cover itself. */
type CoverImage = Omit<MediaDescription, "altText" | "cover" | "facts">;

/** What the service knows about a stored file without reading it. */
export interface MediaDescription {
  readonly id: string;
  /** An animated GIF counts as an image. */
  readonly type: MediaType;
  /** As the service detected it in the bytes, not as the sender declared it. */
  readonly contentType: string;
  /** The exact size of the stored file. */
  readonly sizeBytes: number;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly width: number | null;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly height: number | null;
  /** Null for images, and for a video whose duration nobody knows. */
  readonly durationSeconds: number | null;
  /** A description for people who cannot see the media; absent when the post has none. */
  readonly altText?: string | undefined;
  /** The cover of a video, a moment or a picture. Absent: the platform chooses one. */
  readonly cover?: { readonly atMs?: number; readonly image?: CoverImage } | undefined;
  /**
   * Further properties that the service read from the bytes: `videoCodec`, `audioCodec`, `frameRate`, `animated`, … An
   * absent member is unknown, not a problem.
   */
  readonly facts: JsonObject;
}

/**
 * The limits of one image or video; every bound is acceptable itself. An absent bound is not checked, and a property that a
 * file does not show is no problem.
 */
export interface MediaRule {
  /** The acceptable types, as in `MediaDescription.contentType`. */
  readonly contentTypes: readonly string[];
  /** The largest acceptable file. */
  readonly maxBytes: number;
  /** The smallest acceptable file. */
  readonly minBytes?: number;
  /** In pixels, as displayed. */
  readonly minWidth?: number;
  /** In pixels, as displayed. */
  readonly minHeight?: number;
  /** In pixels, as displayed. */
  readonly maxWidth?: number;
  /** In pixels, as displayed. */
  readonly maxHeight?: number;
  /** The smaller of width and height in pixels, in either orientation. */
  readonly minShortSide?: number;
  /** The smaller of width and height in pixels, in either orientation. */
  readonly maxShortSide?: number;
  /** The larger of width and height in pixels, in either orientation. */
  readonly minLongSide?: number;
  /** The larger of width and height in pixels, in either orientation. */
  readonly maxLongSide?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** How many frames an animation may have. */
  readonly maxFrames?: number;
  /** Width times height times frames of an animation. */
  readonly maxFramePixels?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  /** Width divided by height. */
  readonly maxRatio?: number;
  /** The shortest acceptable duration; only videos have one. */
  readonly minSeconds?: number;
  /** The longest acceptable duration; a difference of less than a frame counts as equal, because container headers round. */
  readonly maxSeconds?: number;
  /** In frames per second. */
  readonly minFrameRate?: number;
  /** In frames per second. */
  readonly maxFrameRate?: number;
  /** As in `facts.videoCodec`. */
  readonly videoCodecs?: readonly string[];
  /** As in `facts.audioCodec`. */
  readonly audioCodecs?: readonly string[];
}

/** Which images a platform accepts, and how the service makes a copy that fits. */
export interface ImageFitting {
  /** The limits that the original breaks and the copy keeps. */
  readonly rule: MediaRule;
  /** Width divided by height of the copy; narrower than the rule where the platform advises it. */
  readonly minRatio?: number;
  /** Width divided by height of the copy. */
  readonly maxRatio?: number;
  /** In pixels; the service scales a wider copy down. */
  readonly maxWidth?: number;
  /** In pixels; the service scales a longer copy down. */
  readonly maxLongSide?: number;
  /** In pixels; the service scales a copy with a longer short side down. */
  readonly maxShortSide?: number;
  /** What all images of one post share with the first: its ratio, or its size in pixels. */
  readonly together?: "ratio" | "size";
}
