import { z } from "@hono/zod-openapi";
import { type OptionForm, THREAD_FIELD } from "#platforms/contract.ts";
import { choiceOf, commonOptions } from "#platforms/options.ts";
import { threadOption } from "#platforms/thread.ts";

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
  ...threadOption,
  ...commonOptions,
});

/**
 * Options that apply to every part of a thread. The official web app copies them into a reply too (`COMPOSE_REPLY` in
 * app/javascript/mastodon/reducers/compose.js). So a thread for followers stays one, and no part shows what a content
 * warning hides.
 */
export const COMMON_OPTIONS = ["visibility", "spoiler_text", "sensitive", "language"] as const;

export const optionForm = {
  fields: {
    visibility: {
      label: "Who can see the post",
      choices: {
        public: "Everyone",
        unlisted: "Everyone, but not in public timelines",
        private: "Followers only",
        direct: "Mentioned accounts only",
      },
    },
    spoiler_text: { label: "Content warning", hint: "Shown before the text, which readers then unfold." },
    alt_texts: {
      label: "Own description",
      hint: "For this account, instead of the description that stands at the file.",
      input: "per_media",
    },
    sensitive: {
      label: "Hide the media behind a warning",
      choices: { "": "As the account is set", true: "Yes", false: "No" },
    },
    language: { label: "Language", hint: "For example en or pt. Leave it empty for the account's own." },
    thread: THREAD_FIELD,
  },
} as const satisfies OptionForm;
