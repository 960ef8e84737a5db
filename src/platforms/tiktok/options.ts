import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { choiceOf, commonOptions, fitOption } from "#platforms/options.ts";
import { PHOTO_TITLE_MAX } from "./limits.ts";

/**
 * developers.tiktok.com/doc/content-posting-api-reference-direct-post: `privacy_level`, `disable_comment`, `disable_duet`,
 * `disable_stitch`, `is_aigc`, `brand_content_toggle`, `brand_organic_toggle`; …-reference-photo-post: `title`, `auto_add_music`,
 * `photo_cover_index`, and `post_mode` for drafts.
 */
export const options = z.looseObject({
  title: z
    .string()
    .optional()
    .describe(`Title of an image post, up to ${PHOTO_TITLE_MAX} characters; not used for video`),
  privacy_status: choiceOf({ public: "Everyone.", private: "Only the account itself." })
    .default("public")
    .describe("Who can see the post"),
  allow_comment: z.boolean().default(true).describe("Whether others may comment"),
  allow_duet: z.boolean().default(true).describe("Video only: whether others may make duets of it"),
  allow_stitch: z.boolean().default(true).describe("Video only: whether others may stitch it"),
  is_ai_generated: z.boolean().default(false).describe("Video only: labels the video as made by AI"),
  disclose_your_brand: z
    .boolean()
    .default(false)
    .describe("Discloses that the post promotes the account's own business"),
  disclose_branded_content: z
    .boolean()
    .default(false)
    .describe("Discloses a paid partnership: the post promotes another business. Not with `privacy_status: private`"),
  auto_add_music: z.boolean().optional().describe("Images only: whether TikTok adds music that it recommends"),
  photo_cover_index: z
    .int()
    .refine((index) => index >= 0, "must be 0 or more")
    .optional()
    .describe("Images only: which of them is the cover; 0 is the first"),
  is_draft: z.boolean().default(false).describe("Save as a draft in the TikTok app instead of posting"),
  ...fitOption,
  ...commonOptions,
});

/** A draft is sent without settings: the user chooses them when finishing it in the TikTok app. */
export function isDraft(options: JsonObject): boolean {
  return options["is_draft"] === true;
}

export function isPublic(options: JsonObject): boolean {
  return options["privacy_status"] !== "private";
}

export const PUBLIC_LEVEL = "PUBLIC_TO_EVERYONE";
export const PRIVATE_LEVEL = "SELF_ONLY";

export function privacyLevel(options: JsonObject): string {
  return isPublic(options) ? PUBLIC_LEVEL : PRIVATE_LEVEL;
}

/** Disclosure of commercial content: https://developers.tiktok.com/doc/content-sharing-guidelines */
export function isBrandedContent(options: JsonObject): boolean {
  return options["disclose_branded_content"] === true;
}

export function disclosure(options: JsonObject): JsonObject {
  return {
    brand_content_toggle: isBrandedContent(options),
    brand_organic_toggle: options["disclose_your_brand"] === true,
  };
}

export function titleOf(options: JsonObject): string {
  return typeof options["title"] === "string" ? options["title"] : "";
}
