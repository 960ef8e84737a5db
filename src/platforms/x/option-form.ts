import type { OptionForm } from "#platforms/contract.ts";
import { FIT_FIELD, THREAD_FIELD } from "#platforms/form-contract.ts";

export const optionForm = {
  fields: {
    reply_settings: {
      label: "Who can reply",
      choices: {
        "": "Everyone",
        following: "Accounts you follow",
        mentionedUsers: "Mentioned accounts only",
        subscribers: "Subscribers",
        verified: "Verified accounts",
      },
    },
    made_with_ai: {
      label: "Made with AI",
      hint: "X labels the media.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
    },
    paid_partnership: {
      label: "Paid partnership",
      hint: "X labels the post.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
    },
    "poll.options": {
      label: "Answers of a poll",
      hint: "Two to four, separated by commas.",
      input: "words",
      group: "Poll",
      onlyFor: "text",
    },
    "poll.duration_minutes": { label: "Open for", hint: "In minutes: 1440 is a day.", group: "Poll", onlyFor: "text" },
    community_id: { label: "Community", hint: "The number in its address on X.", group: "More" },
    tagged_user_ids: {
      onlyFor: "image",
      label: "People in the media",
      hint: "Ids of users, separated by commas.",
      input: "words",
    },
    quote_tweet_url: { label: "Quote a post", hint: "The address of the post on X." },
    fit: FIT_FIELD,
    thread: THREAD_FIELD,
  },
} as const satisfies OptionForm;
