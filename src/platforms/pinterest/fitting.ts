import type { ImageFitting } from "#platforms/image-fitting.ts";
import { IMAGE } from "./limits.ts";

/** All images of a carousel have one size. */
export const fitting = { rule: IMAGE, together: "size" } as const satisfies ImageFitting;
