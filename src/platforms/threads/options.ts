import { z } from "@hono/zod-openapi";
import { type OptionForm, FIT_FIELD, THREAD_FIELD } from "#platforms/contract.ts";
import { atMost, choiceOf, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { threadOption } from "#platforms/thread.ts";
import { POLL_OPTION_MAX, POLL_OPTIONS, TOPIC_MAX } from "./limits.ts";

/**
 * The options of a Threads post. developers.facebook.com/docs/threads/reference/publishing: `reply_control` with these
 * values, `link_attachment`, `poll_attachment`, `reply_to_id`; …/create-posts/topics, …/create-posts/polls;
 * …/create-posts/spoilers: `is_spoiler_media` of images, videos and carousels.
 */
export const options = z.looseObject({
  reply_control: choiceOf({
    everyone: "Everyone.",
    accounts_you_follow: "Accounts that the author follows.",
    mentioned_only: "Accounts that the post mentions.",
    parent_post_author_only: "The author of the post that this one answers.",
    followers_only: "Accounts that follow the author.",
  })
    .optional()
    .describe("Who can reply; the account's own setting when absent"),
  topic_tag: z
    .string()
    .check(atMost(TOPIC_MAX, "characters", (value) => value.length))
    .refine((value) => value.trim() !== "" && !/[.&]/.test(value), "must not be blank or contain . or &")
    .optional()
    .describe(`The topic, up to ${TOPIC_MAX} characters, neither . nor &`),
  link_attachment: z
    .string()
    .refine(isHttpUrl, "must be an absolute http or https URL")
    .optional()
    .describe("A link shown as a card; only for posts without media and poll"),
  poll: z
    .strictObject({
      options: z
        .array(
          z
            .string()
            .min(1)
            .check(atMost(POLL_OPTION_MAX, "characters", (value) => value.length)),
        )
        .min(POLL_OPTIONS.min)
        .max(POLL_OPTIONS.max)
        .describe("The answers"),
    })
    .optional()
    .describe(
      `A poll of ${POLL_OPTIONS.min} to ${POLL_OPTIONS.max} answers of up to ${POLL_OPTION_MAX} characters; only for posts without media and link`,
    ),
  is_spoiler: z.boolean().optional().describe("Covers the media until the reader asks for them"),
  ...threadOption,
  ...fitOption,
  ...commonOptions,
});

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
    is_spoiler: {
      label: "Cover the media as a spoiler",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
      onlyFor: "media",
    },
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
