import type { OptionForm } from "#platforms/contract.ts";

export const optionForm = {
  fields: {
    placement: {
      label: "Publish the video as",
      choices: { "": "A reel (usual)", reels: "A reel", timeline: "A video in the timeline" },
      onlyFor: "video",
    },
  },
} as const satisfies OptionForm;
