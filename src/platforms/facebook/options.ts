import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

export const options = z.looseObject({
  placement: z
    .enum(["timeline", "reels"])
    .optional()
    .describe("Videos only: where the video is published; default reels. Everything else is published in the timeline"),
  ...commonOptions,
});
