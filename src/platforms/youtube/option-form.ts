import type { OptionForm } from "#platforms/contract.ts";
import { FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { TITLE_MAX } from "./limits.ts";

export const optionForm = {
  fields: {
    title: {
      label: "Title of the video",
      hint: `Up to ${TITLE_MAX} characters, without < and >. The caption becomes the description.`,
    },
    privacy_status: {
      label: "Who can see the video",
      choices: {
        "": "Everyone (usual)",
        public: "Everyone",
        unlisted: "Everyone who has the address",
        private: "Only you and those you invite",
      },
    },
    tags: { label: "Tags", hint: "Separated by commas, up to 500 characters in all.", input: "words" },
    category_id: { label: "Category", hint: "Its number, for example 27 for education.", group: "More" },
    default_language: { label: "Language of the title", hint: "For example en or pt-BR." },
    license: {
      label: "License",
      choices: { "": "Standard (usual)", youtube: "Standard YouTube license", creativeCommon: "Creative Commons" },
    },
    contains_synthetic_media: {
      label: "Altered or synthetic content",
      hint: "Realistic content that was altered or made by a computer.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
    },
    embeddable: { label: "Other sites may embed the video", choices: { "": "Yes (usual)", true: "Yes", false: "No" } },
    notify_subscribers: { label: "Tell subscribers", choices: { "": "Yes (usual)", true: "Yes", false: "No" } },
    made_for_kids: {
      label: "The video is made for kids",
      hint: "In the legal sense: comments and notifications are then off.",
    },
    playlist_ids: {
      label: "Playlists",
      hint: "Ids of up to five of your playlists, separated by commas: the part after list= in their address.",
      input: "words",
    },
    first_comment: FIRST_COMMENT_FIELD,
  },
} as const satisfies OptionForm;
