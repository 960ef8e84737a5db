import type { FileType, MediaType } from "./status.ts";

const MIB = 1024 ** 2;

/** The largest image and video (bytes) that this service stores, even if a platform accepts larger files. */
export const MAX_MEDIA_BYTES = { image: 32 * MIB, video: 1024 * MIB } as const satisfies Record<MediaType, number>;

/** The largest file (bytes) of each type that this service stores, documents included. */
export const MAX_FILE_BYTES = { ...MAX_MEDIA_BYTES, document: 100_000_000 } as const satisfies Record<FileType, number>;

/**
 * The longest description of a media item, in UTF-16 code units. Most platforms accept this length; a preview refuses
 * the text for the others.
 */
export const ALT_TEXT_MAX = 1000;
