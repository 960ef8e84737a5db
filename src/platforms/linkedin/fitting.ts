import type { ImageFitting } from "#platforms/image-fitting.ts";
import { IMAGE } from "./limits.ts";

export const fitting = { rule: IMAGE, maxLongSide: 4096 } as const satisfies ImageFitting;
