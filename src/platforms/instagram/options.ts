import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

export const options = z.looseObject({
  placement: z
    .enum(["timeline", "reels"])
    .optional()
    .describe("Set automatically: reels for one video, timeline for everything else"),
  share_to_feed: z
    .boolean()
    .optional()
    .describe("Reels only: also share to the main feed; default true; always false for a trial reel"),
  trial_reel_type: z
    .enum(["manual", "performance"])
    .nullable()
    .default(null)
    .describe("Video only: a trial reel and how it leaves the trial; needs 1000 followers"),
  ...commonOptions,
});
