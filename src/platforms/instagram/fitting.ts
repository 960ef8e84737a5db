import type { JsonObject } from "#core/json.ts";
import type { ImageFitting } from "#platforms/image-fitting.ts";
import { isStory, STORY_RATIO } from "#platforms/story.ts";
import { IMAGE, IMAGE_RATIO_ADVISED } from "./limits.ts";

/** The official page (September 2026): 4:5 to 1.91:1, at most 1440 wide; a carousel is cut to the shape of its first image. */
export const fitting = {
  rule: IMAGE,
  minRatio: IMAGE_RATIO_ADVISED,
  maxWidth: 1440,
  together: "ratio",
} as const satisfies ImageFitting;

/** IG user media reference: 9:16 is recommended for stories "to avoid cropping or blank space". */
const storyFitting = {
  rule: IMAGE,
  minRatio: STORY_RATIO,
  maxRatio: STORY_RATIO,
  maxWidth: 1440,
} as const satisfies ImageFitting;

export const fittingFor = (options: JsonObject): ImageFitting => (isStory(options) ? storyFitting : fitting);
