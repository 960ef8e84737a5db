import { z } from "@hono/zod-openapi";
import { type OptionForm, FIT_FIELD } from "#platforms/contract.ts";
import { firstCommentOption, FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { choiceOf, commonOptions, fitOption } from "#platforms/options.ts";
import { storyOption, STORY_FIELD } from "#platforms/story.ts";
import { COLLABORATORS_MAX, COMMENT_MAX } from "./limits.ts";

const USERNAME = /^[A-Za-z0-9._]{1,30}$/;

const position = z.number().refine((value) => value >= 0 && value <= 1, "must be a number from 0 to 1");

/**
 * The options of an Instagram post.
 * developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media: `collaborators`,
 * `user_tags` with positions on images only, `location_id`, `audio_name`, `share_to_feed`, `trial_params`,
 * `is_ai_generated`.
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
    .describe(
      "Video only: a trial reel and how it leaves the trial; Instagram usually offers them from 1000 followers on",
    ),
  collaborators: z
    .array(z.string().regex(USERNAME, "must be the name of an account, without @"))
    .max(COLLABORATORS_MAX)
    .optional()
    .describe(`Names of up to ${COLLABORATORS_MAX} accounts that are asked to publish the post with this one`),
  user_tags: z
    .array(
      z.strictObject({
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

export const optionForm = {
  fields: {
    story: STORY_FIELD,
    share_to_feed: {
      label: "Show the reel in the main feed too",
      choices: { "": "Yes (usual)", true: "Yes", false: "No, only among the reels" },
      onlyFor: "video",
    },
    collaborators: { label: "Collaborators", hint: "Up to three names, separated by commas.", input: "words" },
    user_tags: {
      label: "Tagged accounts",
      hint: "One on each line. On a picture with the distances from the left and from the top: ada.example, 0.5, 0.3. With several files, the number of the file comes last.",
      input: "tags",
    },
    location_id: { label: "Place", hint: "The number of a Facebook Page with a place." },
    audio_name: { label: "Name of the sound", onlyFor: "video" },
    is_ai_generated: { label: "Made with AI", choices: { "": "No (usual)", true: "Yes", false: "No" } },
    trial_reel_type: {
      label: "Trial reel",
      hint: "A trial reel is shown to people who do not follow you. Instagram usually offers it from 1000 followers on.",
      choices: {
        "": "No trial",
        manual: "Trial; I share it with my followers myself",
        performance: "Trial; shared with followers if it does well",
      },
      onlyFor: "video",
    },
    first_comment: FIRST_COMMENT_FIELD,
    fit: FIT_FIELD,
  },
  automatic: ["placement"],
} as const satisfies OptionForm;
