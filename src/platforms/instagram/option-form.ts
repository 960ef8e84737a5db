import type { OptionForm } from "#platforms/contract.ts";
import { FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { FIT_FIELD } from "#platforms/form-contract.ts";
import { STORY_FIELD } from "#platforms/story.ts";

export const optionForm = {
  fields: {
    story: STORY_FIELD,
    share_to_feed: {
      label: "Show the reel in the main feed too",
      choices: { "": "Yes (usual)", true: "Yes", false: "No, only among the reels" },
      onlyFor: "video",
    },
    collaborators: { label: "Collaborators", hint: "Up to three names, separated by commas.", input: "words" },
    user_tags: {
      label: "Tagged accounts",
      hint: "One on each line. On a picture with the distances from the left and from the top: ada.example, 0.5, 0.3. With several files, the number of the file comes last.",
      input: "tags",
    },
    location_id: { label: "Place", hint: "The number of a Facebook Page with a place." },
    audio_name: { label: "Name of the sound", onlyFor: "video" },
    is_ai_generated: { label: "Made with AI", choices: { "": "No (usual)", true: "Yes", false: "No" } },
    trial_reel_type: {
      label: "Trial reel",
      hint: "A trial reel is shown to people who do not follow you. It needs 1000 followers.",
      choices: {
        "": "No trial",
        manual: "Trial; I share it with my followers myself",
        performance: "Trial; shared with followers if it does well",
      },
      onlyFor: "video",
    },
    first_comment: FIRST_COMMENT_FIELD,
    fit: FIT_FIELD,
  },
  automatic: ["placement"],
} as const satisfies OptionForm;
