import { z } from "@hono/zod-openapi";
import { choiceOf, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { firstCommentOption } from "#platforms/first-comment.ts";
import { storyOption } from "#platforms/story.ts";
import { COMMENT_MAX } from "./limits.ts";

/**
 * developers.facebook.com/docs/graph-api/reference/page/feed: `link`, `place`; …/page/videos and …/page/video_reels: `title`.
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
