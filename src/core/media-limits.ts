import type { MediaType } from "./status.ts";

const MIB = 1024 ** 2;

/** The largest file of each type that is stored; a platform's larger limit cannot be reached. */
export const MAX_MEDIA_BYTES = { image: 32 * MIB, video: 1024 * MIB } as const satisfies Record<MediaType, number>;
