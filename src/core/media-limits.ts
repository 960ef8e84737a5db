import type { FileType, MediaType } from "./status.ts";

const MIB = 1024 ** 2;

/** The largest file of each type that is stored; a platform's larger limit cannot be reached. */
export const MAX_MEDIA_BYTES = { image: 32 * MIB, video: 1024 * MIB } as const satisfies Record<MediaType, number>;

/** The same for every kind of stored file. */
export const MAX_FILE_BYTES = { ...MAX_MEDIA_BYTES, document: 100_000_000 } as const satisfies Record<FileType, number>;

/** The longest description of a medium, in UTF-16 code units: what most platforms accept; one that accepts less refuses it in the preview. */
export const ALT_TEXT_MAX = 1000;
