import { z } from "@hono/zod-openapi";
import { choiceOf, commonOptions, fitOption } from "#platforms/options.ts";
import { firstCommentOption } from "#platforms/first-comment.ts";
import { storyOption } from "#platforms/story.ts";
import { COLLABORATORS_MAX, COMMENT_MAX } from "./limits.ts";

const USERNAME = /^[A-Za-z0-9._]{1,30}$/;

const position = z.number().refine((value) => value >= 0 && value <= 1, "must be a number from 0 to 1");

/**
 * developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media: `collaborators`, `user_tags` with their
 * places on images only, `location_id`, `audio_name`, `share_to_feed`, `trial_params`, `is_ai_generated`.
 */
export const options = z.looseObject({
  placement: choiceOf({ timeline: "A post in the feed.", reels: "A reel." })
    .optional()
    .describe("Set automatically: reels for one video, timeline for everything else"),
  share_to_feed: z
    .boolean()
    .optional()
    .describe("Reels only: also share to the main feed; default true; always false for a trial reel"),
  ...storyOption,
  trial_reel_type: choiceOf({
    manual: "A trial reel that the account's owner shares with followers in the app.",
    performance: "A trial reel that Instagram shares with followers when it does well.",
  })
    .nullable()
    .default(null)
    .describe("Video only: a trial reel and how it leaves the trial; needs 1000 followers"),
  collaborators: z
    .array(z.string().regex(USERNAME, "must be the name of an account, without @"))
    .max(COLLABORATORS_MAX)
    .optional()
    .describe(`Names of up to ${COLLABORATORS_MAX} accounts that are asked to publish the post with this one`),
  user_tags: z
    .array(
      z.object({
        username: z.string().regex(USERNAME, "must be the name of an account, without @").describe("Without @"),
        x: position.optional().describe("On an image: how far from the left, 0 to 1"),
        y: position.optional().describe("On an image: how far from the top, 0 to 1"),
        media_index: z
          .int()
          .refine((index) => index >= 0, "must be 0 or more")
          .optional()
          .describe("In a carousel: which item; 0 is the first and the default"),
      }),
    )
    .optional()
    .describe("Accounts to tag; x and y are required on images, not accepted on videos, and optional in a story"),
  location_id: z
    .string()
    .regex(/^\d{1,30}$/, "must be the id of a Facebook Page with a place")
    .optional()
    .describe("Id of the Facebook Page of a place"),
  audio_name: z.string().min(1).optional().describe("Reels only: name of the reel's own sound"),
  is_ai_generated: z.boolean().optional().describe("Labels the post as made with AI"),
  ...firstCommentOption(COMMENT_MAX),
  ...fitOption,
  ...commonOptions,
});
