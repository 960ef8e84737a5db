import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

export const options = z.looseObject({
  placement: z
    .enum(["timeline", "reels"])
    .optional()
    .describe("Of a video; reels by default. Everything else stands in the timeline"),
  ...commonOptions,
});
