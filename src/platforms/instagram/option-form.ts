import type { OptionForm } from "#platforms/contract.ts";

export const optionForm = {
  fields: {
    share_to_feed: {
      label: "Show the reel in the main feed too",
      choices: { "": "Yes (usual)", true: "Yes", false: "No, only among the reels" },
      onlyFor: "video",
    },
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
  },
  automatic: ["placement"],
} as const satisfies OptionForm;
