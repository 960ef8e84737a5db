import type { OptionForm } from "#platforms/contract.ts";
import { FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { FIT_FIELD } from "#platforms/form-contract.ts";
import { STORY_FIELD } from "#platforms/story.ts";

export const optionForm = {
  fields: {
    placement: {
      label: "Publish the video as",
      choices: { "": "A reel (usual)", reels: "A reel", timeline: "A video in the timeline" },
      onlyFor: "video",
    },
    story: STORY_FIELD,
    title: { label: "Title of the video", onlyFor: "video" },
    link: { label: "Link of the card", hint: "The first address in the text when empty.", onlyFor: "text" },
    place: { label: "Place", hint: "The number of a Page with a place." },
    first_comment: FIRST_COMMENT_FIELD,
    fit: FIT_FIELD,
  },
} as const satisfies OptionForm;
