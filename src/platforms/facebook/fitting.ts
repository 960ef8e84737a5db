import type { JsonObject } from "#core/json.ts";
import type { ImageFitting } from "#platforms/image-fitting.ts";
import { isStory, STORY_RATIO } from "#platforms/story.ts";
import { IMAGE } from "./limits.ts";

/** Photos are shown at 2048 pixels at most. */
export const fitting = { rule: IMAGE, maxLongSide: 2048 } as const satisfies ImageFitting;

/** Stories fill the screen of a phone; the guide gives 9:16 for videos and no ratio for photos. */
const storyFitting = { ...fitting, minRatio: STORY_RATIO, maxRatio: STORY_RATIO } as const satisfies ImageFitting;

export const fittingFor = (options: JsonObject): ImageFitting => (isStory(options) ? storyFitting : fitting);
