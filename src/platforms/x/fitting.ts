import type { ImageFitting } from "#platforms/image-fitting.ts";
import { IMAGE } from "./limits.ts";

/** Images are shown at 4096 pixels at most. */
export const fitting = { rule: IMAGE, maxLongSide: 4096 } as const satisfies ImageFitting;
