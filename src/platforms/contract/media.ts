import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/* A file of a post, what a platform accepts of it, and the copy that makes it fit. */

/** What is known about the picture that is a cover. */
type CoverImage = Omit<MediaDescription, "altText" | "cover" | "facts">;

/** What is known about a stored file without reading it. */
export interface MediaDescription {
  /** Our media id. */
  readonly id: string;
  /** Animated GIFs are images. */
  readonly type: MediaType;
  /** As detected from the bytes, not as declared by the sender. */
  readonly contentType: string;
  /** Exact. */
  readonly sizeBytes: number;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly width: number | null;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly height: number | null;
  /** Null for images and when unknown. */
  readonly durationSeconds: number | null;
  /** What the post says of it to people who cannot see it; absent when it says nothing. */
  readonly altText?: string | undefined;
  /** The cover of a video: a moment or a picture; absent: the platform chooses one. */
  readonly cover?: { readonly atMs?: number; readonly image?: CoverImage } | undefined;
  /** Further properties read from the bytes: `videoCodec`, `audioCodec`, `frameRate`, `animated`, … An absent member is unknown, not a problem. */
  readonly facts: JsonObject;
}

/** The limits of one image or video. Absent members are not checked, and unknown properties of a file are not problems. */
export interface MediaRule {
  readonly contentTypes: readonly string[];
  readonly maxBytes: number;
  readonly minBytes?: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Of width and height the smaller one, in either orientation. */
  readonly minShortSide?: number;
  readonly maxShortSide?: number;
  readonly minLongSide?: number;
  readonly maxLongSide?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** Of an animation: the number of frames, and width times height times frames. */
  readonly maxFrames?: number;
  readonly maxFramePixels?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
  readonly minSeconds?: number;
  readonly maxSeconds?: number;
  readonly minFrameRate?: number;
  readonly maxFrameRate?: number;
  readonly videoCodecs?: readonly string[];
  readonly audioCodecs?: readonly string[];
}

/** What a platform takes of an image, and what a copy that fits it looks like. */
export interface ImageFitting {
  readonly rule: MediaRule;
  /** Of the copy; narrower than the rule where the platform advises it. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
  readonly maxWidth?: number;
  readonly maxLongSide?: number;
  readonly maxShortSide?: number;
  /** What the images of one post have in common with the first. */
  readonly together?: "ratio" | "size";
}
