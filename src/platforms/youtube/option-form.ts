import type { OptionForm } from "#platforms/contract.ts";
import { TITLE_MAX } from "./limits.ts";

export const optionForm = {
  fields: {
    title: {
      label: "Title of the video",
      hint: `Up to ${TITLE_MAX} characters, without < and >. The caption becomes the description.`,
    },
    made_for_kids: {
      label: "The video is made for kids",
      hint: "In the legal sense: comments and notifications are then off.",
    },
  },
} as const satisfies OptionForm;
