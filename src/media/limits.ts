import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { MAX_FILE_BYTES } from "#core/media-limits.ts";
import type { FileType } from "#core/status.ts";

const MIB = 1024 ** 2;

/** The largest file (bytes) of each type. The limits of platforms come in addition, and previews check them. */
export const MAX_BYTES = MAX_FILE_BYTES;

export const MAX_BYTES_TEXT = {
  image: "32 MiB",
  video: "1 GiB",
  document: "100 MB",
} as const satisfies Record<FileType, string>;

/**
 * The largest image in megapixels, that of the largest camera sensors. A few bytes can claim any size, and whoever
 * decodes the image needs four bytes for each pixel.
 */
export const MAX_IMAGE_MEGAPIXELS = 200;

/**
 * The limits of Cloudflare Images. A JPEG made from a HEIC or AVIF image stays within them too, so that it can be
 * fitted later.
 */
export const IMAGES_INPUT = { maxBytes: 20_000_000, maxPixels: 100_000_000, maxSide: 12_000 } as const;

/** The limits of one import. They are a parameter, so that tests can pass smaller ones. */
export interface ImportLimits {
  readonly maxBytes: Readonly<Record<FileType, number>>;
  /** The largest decompressed size of a response (bytes), to prevent decompression bombs. */
  readonly maxUnpackedBytes: number;
  /** The longest time (ms) in which no byte arrives. */
  readonly idleMs: number;
  /** The longest time (ms) of the whole transfer, including redirects. */
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

/**
 * The import limits for images of many posts. Videos and documents are excluded, because one request cannot wait for
 * them.
 */
export const BULK_IMPORT_LIMITS: ImportLimits = { ...IMPORT_LIMITS, maxBytes: { ...MAX_BYTES, video: 0, document: 0 } };
export const MAX_BULK_IMPORTS = 100;
/** The time (ms) for all images of one bulk request together. */
export const BULK_IMPORT_MS = MINUTE;

export const MAX_IMPORT_URLS = 10;
/** The largest number of media of a post. No platform accepts more. */
export const MAX_POST_MEDIA = 50;
/** The largest number of media of a post and its accounts together, so that a PostPlan fits into a database row. */
export const MAX_REQUEST_MEDIA = 200;

/**
 * How many files are imported in parallel. Each takes two connections, to fetch and to write, and a Worker may have
 * six.
 */
export const PARALLEL_IMPORTS = 3;

/** How many calls of the images service run in parallel. Each keeps one copy in memory. */
export const PARALLEL_FITS = 3;

/** The size (bytes) of the objects in which a file of unknown length is stored while it arrives. */
export const STAGED_OBJECT_BYTES = 4 * MIB;
/** Up to this many bytes, small files of a request stay in memory together instead of going to temporary storage. */
export const IN_MEMORY_IMPORT_BYTES = 8 * MIB;

/** Up to this size (bytes), a file uploaded in one request stays in memory. */
export const IN_MEMORY_UPLOAD_BYTES = 4 * MIB;

/** The largest upload in one request (bytes). It is below Cloudflare's limit of 100 MB for a body. */
export const MAX_SINGLE_UPLOAD_BYTES = 90 * MIB;
export const UPLOAD_PART_BYTES = 64 * MIB;
export const SINGLE_UPLOAD_URL_LIFETIME_MS = HOUR;
/** How long (ms) a multipart upload can be resumed. Afterwards it counts as abandoned. */
export const UPLOAD_LIFETIME_MS = DAY;

export const UNUSED_RETENTION_MS = 30 * DAY;
/**
 * How long (ms) an item stays `expiring`: longer than a confirmation token is valid, so that a previewed file still
 * exists at the confirm.
 */
export const EXPIRING_MS = 10 * MINUTE;
/** How long (ms) a deletion belongs to the run that claimed it. Afterwards another run may take it over. */
export const REMOVAL_LEASE_MS = 10 * MINUTE;

/** How often a save waits for the deletion of an object with the same bytes, which takes a moment. Then it refuses. */
export const REMOVAL_WAIT_ATTEMPTS = 5;
export const REMOVAL_WAIT_MS = 300;
