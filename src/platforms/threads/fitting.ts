import type { ImageFitting } from "#platforms/image-fitting.ts";
import { IMAGE } from "./limits.ts";

/** Images are scaled to 1440 pixels of width. */
export const fitting = { rule: IMAGE, maxWidth: 1440 } as const satisfies ImageFitting;
