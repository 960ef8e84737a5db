import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/* The files of a post, what a platform accepts, and the copy that makes an image fit. */

/** A picture used as a cover, which itself has neither a description nor a cover. */
type CoverImage = Omit<MediaDescription, "altText" | "cover" | "facts">;

/** What the service knows about a stored file without reading it. */
export interface MediaDescription {
  readonly id: string;
  /** The media type. An animated GIF counts as an image. */
  readonly type: MediaType;
  /** The content type as detected in the file's bytes, not as the sender declared it. */
  readonly contentType: string;
  /** The exact size (bytes) of the stored file. */
  readonly sizeBytes: number;
  /** The width in pixels as displayed, after rotation. Null if it is unknown. */
  readonly width: number | null;
  /** The height in pixels as displayed, after rotation. Null if it is unknown. */
  readonly height: number | null;
  /** The duration. Null for images, and for a video whose duration nobody knows. */
  readonly durationSeconds: number | null;
  /** The description for people who cannot see the media. Absent if the post has none. */
  readonly altText?: string | undefined;
  /** The cover of a video: a moment of it or a picture. Absent if the platform chooses one. */
  readonly cover?: { readonly atMs?: number; readonly image?: CoverImage } | undefined;
  /**
   * Further properties that the service read from the bytes: `videoCodec`, `audioCodec`, `frameRate`, `animated`, … An
   * absent member is unknown and counts as no problem.
   */
  readonly facts: JsonObject;
}

/**
 * The limits of one image or video; every bound is itself acceptable. An absent bound is not checked. A property that a
 * file does not show is no problem.
 */
export interface MediaRule {
  /** The acceptable content types, as in `MediaDescription.contentType`. */
  readonly contentTypes: readonly string[];
  /** The largest acceptable file, in bytes. */
  readonly maxBytes: number;
  /** The smallest acceptable file, in bytes. */
  readonly minBytes?: number;
  /** The smallest width in pixels, as displayed. */
  readonly minWidth?: number;
  /** The smallest height in pixels, as displayed. */
  readonly minHeight?: number;
  /** The largest width in pixels, as displayed. */
  readonly maxWidth?: number;
  /** The largest height in pixels, as displayed. */
  readonly maxHeight?: number;
  /** The minimum of the shorter side in pixels, in either orientation. */
  readonly minShortSide?: number;
  /** The maximum of the shorter side in pixels, in either orientation. */
  readonly maxShortSide?: number;
  /** The minimum of the longer side in pixels, in either orientation. */
  readonly minLongSide?: number;
  /** The maximum of the longer side in pixels, in either orientation. */
  readonly maxLongSide?: number;
  /** The largest product of width and height, in pixels. */
  readonly maxPixels?: number;
  /** How many frames an animation may have. */
  readonly maxFrames?: number;
  /** The largest product of width, height and frames of an animation. */
  readonly maxFramePixels?: number;
  /** The smallest ratio: width divided by height. */
  readonly minRatio?: number;
  /** The largest ratio: width divided by height. */
  readonly maxRatio?: number;
  /** The shortest acceptable duration of a video. */
  readonly minSeconds?: number;
  /**
   * The longest acceptable duration of a video. A difference of less than a frame is ignored, because file headers
   * round.
   */
  readonly maxSeconds?: number;
  /** The lowest frame rate, in frames per second. */
  readonly minFrameRate?: number;
  /** The highest frame rate, in frames per second. */
  readonly maxFrameRate?: number;
  /** The acceptable video codecs, as in `facts.videoCodec`. */
  readonly videoCodecs?: readonly string[];
  /** The acceptable audio codecs, as in `facts.audioCodec`. */
  readonly audioCodecs?: readonly string[];
}

/** Which images a platform accepts, and how the service makes a copy that fits. */
export interface ImageFitting {
  /** The limits that the copy keeps although the original does not. */
  readonly rule: MediaRule;
  /**
   * The smallest ratio (width divided by height) of the copy. It is stricter than the rule if the platform advises
   * that.
   */
  readonly minRatio?: number;
  /** The largest ratio (width divided by height) of the copy. */
  readonly maxRatio?: number;
  /** The largest width of the copy in pixels. A wider one is scaled down. */
  readonly maxWidth?: number;
  /** The largest longer side of the copy in pixels. A longer one is scaled down. */
  readonly maxLongSide?: number;
  /** The largest shorter side of the copy in pixels. A longer one is scaled down. */
  readonly maxShortSide?: number;
  /** What all images of a post must share with the first one: its ratio, or its size in pixels. */
  readonly together?: "ratio" | "size";
}
