import type { ValidationInput, ValidationResult } from "#platforms/contract.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import type { parseOptions } from "#platforms/options.ts";
import { storyItemProblems, storyOptionProblems, storyWarnings, withoutOptions } from "#platforms/story.ts";
import { CAPTION_MAX, IMAGE, limits, STORY_COVERS, STORY_VIDEO } from "./limits.ts";
import { ratioWarnings, roleWarnings } from "./warnings.ts";

/* A story of a Page: developers.facebook.com/docs/page-stories-api, whose publishing calls have the file and nothing else. */

const NOT_IN_STORIES: Readonly<Record<string, string>> = {
  link: "a story has no link",
  place: "a story has no place",
  first_comment: "a story takes no comments",
};
const IGNORED = ["placement", "title"];

export function validateStory(
  { caption, media, options: requested, account }: ValidationInput,
  parsed: Pick<ReturnType<typeof parseOptions>, "options" | "problems">,
): ValidationResult {
  return {
    options: withoutOptions(parsed.options, IGNORED),
    placement: null,
    captionLength: caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...parsed.problems,
      ...storyOptionProblems(requested, NOT_IN_STORIES),
      ...storyItemProblems(media, limits.media),
      ...media.flatMap((item, index) => mediaProblems(item, index, item.type === "video" ? STORY_VIDEO : IMAGE)),
    ],
    warnings: [
      ...roleWarnings(account.capabilities),
      ...storyWarnings("facebook", caption, requested, IGNORED),
      ...altTextWarnings("facebook", media, limits.media),
      ...coverWarnings("facebook", media, { covers: STORY_COVERS }),
      ...media.flatMap((item, index) => layoutWarnings(item, index)),
      ...ratioWarnings(
        media.filter(({ type }) => type === "video"),
        "a story",
      ),
    ],
    cost: null,
  };
}
