import { z } from "@hono/zod-openapi";
import { type OptionForm, FIT_FIELD } from "#platforms/contract.ts";
import { documentOption } from "#platforms/document.ts";
import { firstCommentOption, FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { atMost, choiceOf, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { COMMENT_MAX, POLL_OPTION_MAX, POLL_OPTIONS, POLL_QUESTION_MAX } from "./limits.ts";

const text = (max: number) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must not be blank")
    .check(atMost(max, "characters", (value) => value.length));

/**
 * The options of a LinkedIn post. learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api:
 * `visibility`, `isReshareDisabledByAuthor`, `content.article` of `source`, `title` and `description`, which LinkedIn
 * does not read from the page; …/shares/poll-post-api: `content.poll`.
 */
export const options = z.looseObject({
  visibility: choiceOf({ public: "Everyone.", connections: "The author's connections; members only." })
    .optional()
    .describe("Who can see the post; default public"),
  article: z
    .strictObject({
      url: z.string().refine(isHttpUrl, "must be an absolute http or https URL").describe("The address"),
      title: z.string().min(1).describe("The title of the card; LinkedIn does not read it from the page"),
      description: z.string().optional().describe("A sentence below the title"),
    })
    .optional()
    .describe("A link shown as a card; only for posts without media, document and poll"),
  poll: z
    .strictObject({
      question: text(POLL_QUESTION_MAX).describe("What is asked"),
      options: z.array(text(POLL_OPTION_MAX)).min(POLL_OPTIONS.min).max(POLL_OPTIONS.max).describe("The answers"),
      duration: choiceOf({
        ONE_DAY: "A day.",
        THREE_DAYS: "Three days.",
        SEVEN_DAYS: "A week.",
        FOURTEEN_DAYS: "Two weeks.",
      }).describe("How long it is open"),
    })
    .optional()
    .describe(
      `A poll: a question of up to ${POLL_QUESTION_MAX} characters and ${POLL_OPTIONS.min} to ${POLL_OPTIONS.max} answers of up to ${POLL_OPTION_MAX}; only for posts without media, document and article`,
    ),
  ...documentOption,
  disable_reshare: z.boolean().optional().describe("Whether others cannot share the post; default false"),
  ...firstCommentOption(COMMENT_MAX),
  ...fitOption,
  ...commonOptions,
});

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
      input: "pdf",
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
