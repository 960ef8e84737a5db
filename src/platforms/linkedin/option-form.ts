import type { OptionForm } from "#platforms/contract.ts";
import { FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { FIT_FIELD } from "#platforms/form-contract.ts";

export const optionForm = {
  fields: {
    visibility: {
      label: "Who can see the post",
      hint: "A page posts for everyone.",
      choices: { "": "Everyone (usual)", public: "Everyone", connections: "Your connections" },
    },
    disable_reshare: { label: "Others may share the post", choices: { "": "Yes (usual)", true: "No", false: "Yes" } },
    "document.url": {
      label: "Address of the PDF",
      hint: "A public https address or that of a file of the media library: up to 100 MB and 300 pages.",
      group: "Document",
      onlyFor: "text",
    },
    "document.title": { label: "Title of the document", group: "Document", onlyFor: "text" },
    "article.url": { label: "Address", group: "Link card", onlyFor: "text" },
    "article.title": { label: "Title of the card", group: "Link card", onlyFor: "text" },
    "article.description": { label: "Description of the card", group: "Link card", onlyFor: "text" },
    "poll.question": { label: "Question", group: "Poll", onlyFor: "text" },
    "poll.options": {
      label: "Answers",
      hint: "Two to four, separated by commas.",
      input: "words",
      group: "Poll",
      onlyFor: "text",
    },
    "poll.duration": {
      label: "Open for",
      choices: {
        "": "Choose how long",
        ONE_DAY: "A day",
        THREE_DAYS: "Three days",
        SEVEN_DAYS: "A week",
        FOURTEEN_DAYS: "Two weeks",
      },
      group: "Poll",
      onlyFor: "text",
    },
    first_comment: {
      ...FIRST_COMMENT_FIELD,
      hint: "The page's own comment below the post, sent once it is public; for pages only.",
    },
    fit: FIT_FIELD,
  },
} as const satisfies OptionForm;
