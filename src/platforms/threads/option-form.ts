import type { OptionForm } from "#platforms/contract.ts";
import { FIT_FIELD, THREAD_FIELD } from "#platforms/form-contract.ts";

export const optionForm = {
  fields: {
    reply_control: {
      label: "Who can reply",
      choices: {
        "": "As the account is set",
        everyone: "Everyone",
        accounts_you_follow: "Accounts you follow",
        mentioned_only: "Mentioned accounts only",
        parent_post_author_only: "The author of the answered post",
        followers_only: "Your followers",
      },
    },
    topic_tag: { label: "Topic", hint: "Up to 50 characters, without . and &." },
    is_spoiler: { label: "Cover the media as a spoiler", choices: { "": "No (usual)", true: "Yes", false: "No" } },
    link_attachment: { label: "Link card", hint: "An address, shown as a card.", onlyFor: "text" },
    "poll.options": {
      label: "Answers of a poll",
      hint: "Two to four, separated by commas.",
      input: "words",
      onlyFor: "text",
    },
    fit: FIT_FIELD,
    thread: THREAD_FIELD,
  },
} as const satisfies OptionForm;
