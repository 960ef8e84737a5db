import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { MediaType } from "#core/status.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The largest file we keep of each type; the platforms' own limits are checked at the preview. */
export const MAX_BYTES = { image: 32 * MIB, video: GIB } as const satisfies Record<MediaType, number>;

export const LIMIT_WORDS = { image: "32 MiB", video: "1 GiB" } as const satisfies Record<MediaType, string>;

/** What reading one source may take; a test hands in smaller ones. */
export interface ImportLimits {
  readonly maxBytes: Readonly<Record<MediaType, number>>;
  /** A compressed answer unpacks to at most this, so that a few KiB cannot keep us busy for a GiB. */
  readonly maxUnpackedBytes: number;
  /** The longest silence. */
  readonly idleMs: number;
  /** The longest whole transfer, redirects included. */
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

export const MAX_IMPORT_URLS = 10;
/** More than any platform takes in one post. */
export const MAX_POST_MEDIA = 50;

/** Each import holds one fetch and one write open, and a Worker may have six connections under way. */
export const PARALLEL_IMPORTS = 3;

/** Bytes of a source of unknown length held until they are written as one object. */
export const CHUNK_BYTES = 4 * MIB;
/** Small files of one call wait in memory instead of taking the way over a staging object; together at most this. */
export const HELD_BYTES = 8 * MIB;

/** A file uploaded in one request waits in memory up to this size. */
export const HELD_UPLOAD_BYTES = 4 * MIB;

/** Under the 100 MB that the network in front of a Worker lets through in one request. */
export const MAX_SINGLE_UPLOAD_BYTES = 90 * MIB;
export const UPLOAD_PART_BYTES = 64 * MIB;
export const SINGLE_UPLOAD_URL_LIFE_MS = HOUR;
/** An upload in parts may be resumed all day; after that it counts as abandoned. */
export const UPLOAD_LIFE_MS = DAY;

/** How long media that nothing uses is kept. */
export const UNUSED_LIFE_MS = 30 * DAY;
/** Longer than a confirmation token lives: what a preview saw is still there when its confirm comes. */
export const EXPIRING_MS = 10 * MINUTE;
/** How long a removal under way is left alone before another run takes it over. */
export const REMOVAL_LEASE_MS = 10 * MINUTE;

/** An object that is just being deleted is gone within a moment; so long is waited before the caller is sent away. */
export const REMOVAL_TRIES = 5;
export const REMOVAL_WAIT_MS = 300;
