import { z } from "@hono/zod-openapi";
import { choiceOf, commonOptions } from "#platforms/options.ts";

export const options = z.looseObject({
  visibility: choiceOf({
    public: "Everyone, in public timelines.",
    unlisted: "Everyone, but not in public timelines.",
    private: "Followers only.",
    direct: "Mentioned accounts only.",
  })
    .default("public")
    .describe("Who can see the post; `private` is followers only, `direct` is mentioned accounts only"),
  spoiler_text: z
    .string()
    .optional()
    .describe("Content warning, shown before the text; counts towards the length and marks media as sensitive"),
  sensitive: z
    .boolean()
    .optional()
    .describe("Whether media is hidden behind a warning; the account's own default when absent"),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, "must be an ISO 639 language code")
    .optional()
    .describe("Language of the text, ISO 639; the account's own default when absent"),
  alt_texts: z.array(z.string()).optional().describe("Descriptions of the media, in the order of the media"),
  ...commonOptions,
});
