import type { OptionForm } from "#platforms/contract.ts";

export const optionForm = {
  fields: {
    alt_texts: {
      label: "Own description",
      hint: "For this account, instead of the description that stands at the file.",
      input: "per_media",
    },
    langs: {
      label: "Languages",
      hint: "For example en, pt-BR. Leave it empty to let readers' apps guess.",
      input: "words",
    },
    "link_card.uri": { label: "Address", group: "Link card", onlyFor: "text" },
    "link_card.title": { label: "Title of the card", onlyFor: "text" },
    "link_card.description": { label: "Description of the card", onlyFor: "text" },
  },
} as const satisfies OptionForm;
