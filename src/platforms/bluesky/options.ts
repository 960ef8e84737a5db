import { z } from "@hono/zod-openapi";
import { type OptionForm, THREAD_FIELD } from "#platforms/contract.ts";
import { commonOptions } from "#platforms/options.ts";
import { threadOption } from "#platforms/thread.ts";
import { ALT_TEXT_MAX, IMAGES_MAX, LANGS_MAX, LINK_CARD_MAX } from "./limits.ts";

const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/\s/.test(text);
}

export const options = z.looseObject({
  langs: z
    .array(z.string().regex(LANGUAGE, "must be a language tag such as en or pt-BR"))
    .max(LANGS_MAX)
    .optional()
    .describe("Languages of the text (BCP 47)"),
  alt_texts: z
    .array(z.string().max(ALT_TEXT_MAX))
    .max(IMAGES_MAX)
    .optional()
    .describe("Descriptions of the images, or of the video, in the order of media_items; empty for none"),
  link_card: z
    .strictObject({
      uri: z
        .string()
        .max(LINK_CARD_MAX.uri)
        .refine(isWebAddress, "must be an http or https address")
        .describe("The address of the page"),
      title: z.string().min(1).max(LINK_CARD_MAX.title).describe("The card's headline"),
      description: z.string().max(LINK_CARD_MAX.description).describe("The text below the headline"),
    })
    .optional()
    .describe("A card with a link below the text; only for posts without media"),
  ...threadOption,
  ...commonOptions,
});
export type Options = z.infer<typeof options>;

export const optionForm = {
  fields: {
    alt_texts: {
      label: "Own description",
      hint: "For this account, instead of the description that stands at the file.",
      input: "per_media",
    },
    langs: {
      label: "Languages",
      hint: "For example en, pt-BR. Leave it empty to let readers' apps guess.",
      input: "words",
    },
    "link_card.uri": { label: "Address", group: "Link card", onlyFor: "text" },
    "link_card.title": { label: "Title of the card", onlyFor: "text" },
    "link_card.description": { label: "Description of the card", onlyFor: "text" },
    thread: THREAD_FIELD,
  },
} as const satisfies OptionForm;
