import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { MAX_FILE_BYTES } from "#core/media-limits.ts";
import type { FileType } from "#core/status.ts";

const MIB = 1024 ** 2;

/** The largest file accepted of each type; the preview checks the platforms' own limits. */
export const MAX_BYTES = MAX_FILE_BYTES;

export const MAX_BYTES_TEXT = {
  image: "32 MiB",
  video: "1 GiB",
  document: "100 MB",
} as const satisfies Record<FileType, string>;

/**
 * The largest image accepted: a photo of the largest camera sensors. A few bytes can claim any width and height, and a platform or browser
 * needs four bytes for every pixel that it decodes.
 */
export const MAX_IMAGE_MEGAPIXELS = 200;

/** The limits of Cloudflare Images. A JPEG made of a HEIC or AVIF image stays within them too, so that it can be fitted later. */
export const IMAGES_INPUT = { maxBytes: 20_000_000, maxPixels: 100_000_000, maxSide: 12_000 } as const;

/** Limits of one import; tests pass smaller ones. */
export interface ImportLimits {
  readonly maxBytes: Readonly<Record<FileType, number>>;
  /** The largest unpacked size of a compressed response, to prevent decompression bombs. */
  readonly maxUnpackedBytes: number;
  /** The longest time without a byte. */
  readonly idleMs: number;
  /** The longest time of the whole transfer, redirects included. */
  readonly totalMs: number;
  readonly maxRedirects: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  maxBytes: MAX_BYTES,
  maxUnpackedBytes: MAX_BYTES.image,
  idleMs: 20 * SECOND,
  totalMs: 15 * MINUTE,
  maxRedirects: 5,
};

/** The limits for the images of many posts. One request cannot wait for other files. */
export const BULK_IMPORT_LIMITS: ImportLimits = { ...IMPORT_LIMITS, maxBytes: { ...MAX_BYTES, video: 0, document: 0 } };
export const MAX_BULK_IMPORTS = 100;
/** For all images of one request together. */
export const BULK_IMPORT_MS = MINUTE;

export const MAX_IMPORT_URLS = 10;
/** More than any platform accepts in one post. */
export const MAX_POST_MEDIA = 50;
/** The most media of a post and its accounts together, so that a PostPlan stays below the size of a database row. */
export const MAX_REQUEST_MEDIA = 200;

/** Each import needs two connections, a fetch and a write, and a Worker may have six open at once. */
export const PARALLEL_IMPORTS = 3;

/** How many calls of the images service run at the same time; each keeps one copy in memory. */
export const PARALLEL_FITS = 3;

/** A file of unknown length is staged in objects of this size. */
export const STAGED_OBJECT_BYTES = 4 * MIB;
/** Small files of one request stay in memory instead of staging, up to this many bytes together. */
export const IN_MEMORY_IMPORT_BYTES = 8 * MIB;

/** A file uploaded in one request stays in memory up to this size. */
export const IN_MEMORY_UPLOAD_BYTES = 4 * MIB;

/** Below Cloudflare's limit of 100 MB for the body of one request. */
export const MAX_SINGLE_UPLOAD_BYTES = 90 * MIB;
export const UPLOAD_PART_BYTES = 64 * MIB;
export const SINGLE_UPLOAD_URL_LIFETIME_MS = HOUR;
/** A multipart upload can be resumed for this long; later it counts as abandoned. */
export const UPLOAD_LIFETIME_MS = DAY;

export const UNUSED_RETENTION_MS = 30 * DAY;
/** Longer than a confirmation token is valid, so that the media of a preview still exists at its confirm. */
export const EXPIRING_MS = 10 * MINUTE;
/** After this time another run takes over an unfinished removal. */
export const REMOVAL_LEASE_MS = 10 * MINUTE;

/** Deleting an object takes a moment. A save of the same bytes waits this many times before it refuses. */
export const REMOVAL_WAIT_ATTEMPTS = 5;
export const REMOVAL_WAIT_MS = 300;
