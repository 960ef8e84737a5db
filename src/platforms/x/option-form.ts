import type { OptionForm } from "#platforms/contract.ts";

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
    quote_tweet_url: { label: "Quote a post", hint: "The address of the post on X." },
  },
} as const satisfies OptionForm;
