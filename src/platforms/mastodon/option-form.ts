import type { OptionForm } from "#platforms/contract.ts";

export const optionForm = {
  fields: {
    visibility: {
      label: "Who can see the post",
      choices: {
        public: "Everyone",
        unlisted: "Everyone, but not in public timelines",
        private: "Followers only",
        direct: "Mentioned accounts only",
      },
    },
    spoiler_text: { label: "Content warning", hint: "Shown before the text, which readers then unfold." },
    alt_texts: {
      label: "Own description",
      hint: "For this account, instead of the description that stands at the file.",
      input: "per_media",
    },
    sensitive: {
      label: "Hide the media behind a warning",
      choices: { "": "As the account is set", true: "Yes", false: "No" },
    },
    language: { label: "Language", hint: "For example en or pt. Leave it empty for the account's own." },
  },
} as const satisfies OptionForm;
