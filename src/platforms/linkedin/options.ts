import { z } from "@hono/zod-openapi";
import { atMost, choiceOf, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { documentOption } from "#platforms/document.ts";
import { firstCommentOption } from "#platforms/first-comment.ts";
import { COMMENT_MAX, POLL_OPTION_MAX, POLL_OPTIONS, POLL_QUESTION_MAX } from "./limits.ts";

const text = (max: number) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must not be blank")
    .check(atMost(max, "characters", (value) => value.length));

/**
 * learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api: `visibility`, `isReshareDisabledByAuthor`,
 * `content.article` of `source`, `title` and `description`, which LinkedIn does not read from the page; …/shares/poll-post-api: `content.poll`.
 */
export const options = z.looseObject({
  visibility: choiceOf({ public: "Everyone.", connections: "The author's connections; members only." })
    .optional()
    .describe("Who can see the post; default public"),
  article: z
    .object({
      url: z.string().refine(isHttpUrl, "must be an absolute http or https URL").describe("The address"),
      title: z.string().min(1).describe("The title of the card; LinkedIn does not read it from the page"),
      description: z.string().optional().describe("A sentence below the title"),
    })
    .optional()
    .describe("A link shown as a card; only for posts without media, document and poll"),
  poll: z
    .object({
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
