import { z } from "@hono/zod-openapi";
import { type OptionForm, FIT_FIELD } from "#platforms/contract.ts";
import { firstCommentOption, FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { choiceOf, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { storyOption, STORY_FIELD } from "#platforms/story.ts";
import { COMMENT_MAX } from "./limits.ts";

/**
 * The options of a Facebook post. developers.facebook.com/docs/graph-api/reference/page/feed: `link`, `place`;
 * …/page/videos and …/page/video_reels: `title`.
 */
export const options = z.looseObject({
  placement: choiceOf({ timeline: "A video on the Page.", reels: "A reel." })
    .optional()
    .describe("Videos only: where the video is published; default reels. Everything else is published in the timeline"),
  ...storyOption,
  link: z
    .string()
    .refine(isHttpUrl, "must be an absolute http or https URL")
    .optional()
    .describe("The link of the card below a text; the first address in the text when absent"),
  title: z.string().min(1).optional().describe("Videos only: title of the video or reel"),
  place: z
    .string()
    .regex(/^\d{1,30}$/, "must be the id of a Page with a place")
    .optional()
    .describe("Texts and images only: id of the Page of a place"),
  ...firstCommentOption(COMMENT_MAX),
  ...fitOption,
  ...commonOptions,
});

export const optionForm = {
  fields: {
    placement: {
      label: "Publish the video as",
      choices: { "": "A reel (usual)", reels: "A reel", timeline: "A video in the timeline" },
      onlyFor: "video",
    },
    story: STORY_FIELD,
    title: { label: "Title of the video", onlyFor: "video" },
    link: { label: "Link of the card", hint: "The first address in the text when empty.", onlyFor: "text" },
    place: { label: "Place", hint: "The number of a Page with a place." },
    first_comment: FIRST_COMMENT_FIELD,
    fit: FIT_FIELD,
  },
} as const satisfies OptionForm;
