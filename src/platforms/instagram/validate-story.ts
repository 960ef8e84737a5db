import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { MediaDescription, ValidationInput, ValidationProblem, ValidationResult } from "#platforms/contract.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import type { parseOptions } from "#platforms/options.ts";
import { storyItemProblems, storyOptionProblems, storyWarnings, withoutOptions } from "#platforms/story.ts";
import { accountProblems, accountWarnings } from "./account-eligibility.ts";
import { CAPTION_MAX, IMAGE, limits, STORY_MEDIA, STORY_VIDEO } from "./limits.ts";

/* A story: IG user media reference, "Image Story Containers" and "Video Story Containers". */

/** What the platform takes for other posts only; `collaborators` is "not supported for Stories" in so many words. */
const NOT_IN_STORIES: Readonly<Record<string, string>> = {
  collaborators: "a story has no collaborators",
  location_id: "a story has no place",
  is_ai_generated: "a story cannot be labelled as made with AI",
  trial_reel_type: "a story is no trial reel",
  first_comment: "a story takes no comments",
};
const IGNORED = ["placement", "share_to_feed", "audio_name"];

export function validateStory(
  { caption, media, options: requested, account }: ValidationInput,
  parsed: Pick<ReturnType<typeof parseOptions>, "options" | "problems">,
): ValidationResult {
  const { trial_reel_type: trial = null } = parsed.options;
  return {
    options: withoutOptions(parsed.options, trial === null ? [...IGNORED, "trial_reel_type"] : IGNORED),
    placement: null,
    captionLength: caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...parsed.problems,
      ...storyOptionProblems(requested, NOT_IN_STORIES),
      ...tagProblems(requested, media),
      ...accountProblems(account.capabilities),
      ...storyItemProblems(media, limits.media),
      ...media.flatMap((item, index) => mediaProblems(item, index, item.type === "video" ? STORY_VIDEO : IMAGE)),
    ],
    warnings: [
      ...accountWarnings(account.capabilities),
      ...storyWarnings("instagram", caption, requested, IGNORED),
      ...altTextWarnings("instagram", media, STORY_MEDIA),
      ...coverWarnings("instagram", media, STORY_MEDIA),
      ...media.flatMap((item, index) => layoutWarnings(item, index)),
    ],
    cost: null,
  };
}

/** The place of a tag is optional, also on a video, but has two coordinates. */
function tagProblems(
  { user_tags: requested }: JsonObject,
  media: readonly MediaDescription[],
): readonly ValidationProblem[] {
  const tags = Array.isArray(requested) ? requested : [];
  return tags.filter(isJsonObject).flatMap(({ x, y, media_index: at = 0 }, index): readonly ValidationProblem[] => {
    const param = `platform_options.user_tags[${index}]`;
    if (media.length > 0 && at !== 0) {
      return [{ code: "option_conflict", message: "a story has one item, whose media_index is 0", param }];
    }
    return ((x ?? null) === null) === ((y ?? null) === null)
      ? []
      : [{ code: "option_conflict", message: "the place of a tag needs x and y, both from 0 to 1", param }];
  });
}
