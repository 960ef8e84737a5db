import { z } from "@hono/zod-openapi";
import type { OptionForm } from "#platforms/contract.ts";
import { firstCommentOption, FIRST_COMMENT_FIELD } from "#platforms/first-comment.ts";
import { atMost, choiceOf, commonOptions } from "#platforms/options.ts";
import { COMMENT_MAX, PLAYLISTS_MAX, TAGS_MAX, TITLE_MAX } from "./limits.ts";

/**
 * The options of a YouTube video. developers.google.com/youtube/v3/docs/videos: `snippet.title`, `.tags`,
 * `.categoryId`, `.defaultLanguage`, `status.privacyStatus`, `.selfDeclaredMadeForKids`, `.containsSyntheticMedia`,
 * `.embeddable`, `.license`; …/docs/videos/insert: `notifySubscribers`; …/docs/playlistItems/insert.
 */
export const options = z.looseObject({
  title: z
    .string()
    .check(atMost(TITLE_MAX, "characters", (value) => value.length))
    .refine((value) => value.trim() !== "", "must not be blank")
    .refine((value) => !/[<>]/.test(value), "must not contain < or >")
    .describe(`Title of the Short or long-form video: up to ${TITLE_MAX} characters, neither < nor >`),
  made_for_kids: z.boolean().default(false).describe("Whether the video is made for kids in the legal sense"),
  privacy_status: choiceOf({
    public: "Everyone.",
    unlisted: "Everyone who has the address.",
    private: "The owner and those they invite.",
  })
    .optional()
    .describe("Who can see the video; default public"),
  tags: z
    .array(z.string().min(1))
    .refine(
      (tags) => tagsLength(tags) <= TAGS_MAX,
      `must have ${TAGS_MAX} characters in all at most, two more for each tag with a space`,
    )
    .refine((tags) => !tags.some((tag) => /[<>]/.test(tag)), "must not contain < or >")
    .optional()
    .describe(`Keywords, up to ${TAGS_MAX} characters in all`),
  category_id: z
    .string()
    .regex(/^\d{1,3}$/, "must be the number of a category")
    .optional()
    .describe("Id of the video category (`videoCategories.list`), for example 27 for education"),
  default_language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "must be a language tag such as en or pt-BR")
    .optional()
    .describe("Language of title and description (BCP 47)"),
  contains_synthetic_media: z
    .boolean()
    .optional()
    .describe("Discloses realistic content that was altered or made by a computer"),
  embeddable: z.boolean().optional().describe("Whether other sites may embed the video; default true"),
  license: choiceOf({ youtube: "The standard license of YouTube.", creativeCommon: "Creative Commons, attribution." })
    .optional()
    .describe("The license of the video; default youtube"),
  notify_subscribers: z.boolean().optional().describe("Whether subscribers are told of the video; default true"),
  playlist_ids: z
    .array(z.string().regex(/^[\w-]{10,64}$/, "must be the id of a playlist, as in its address"))
    .max(PLAYLISTS_MAX)
    .refine((ids) => new Set(ids).size === ids.length, "must not name a playlist twice")
    .optional()
    .describe(`Ids of up to ${PLAYLISTS_MAX} playlists of the channel that the video is added to once it is public`),
  ...firstCommentOption(COMMENT_MAX),
  ...commonOptions,
});

/** The length of tags as YouTube counts it: with commas between them, and with two quotes around a tag with a space. */
function tagsLength(tags: readonly string[]): number {
  return tags.reduce((sum, tag) => sum + tag.length + (tag.includes(" ") ? 2 : 0), Math.max(0, tags.length - 1));
}

export const optionForm = {
  fields: {
    title: {
      label: "Title of the video",
      hint: `Up to ${TITLE_MAX} characters, without < and >. The text becomes the description.`,
    },
    privacy_status: {
      label: "Who can see the video",
      choices: {
        "": "Everyone (usual)",
        public: "Everyone",
        unlisted: "Everyone who has the address",
        private: "Only you and those you invite",
      },
    },
    tags: { label: "Tags", hint: "Separated by commas, up to 500 characters in all.", input: "words" },
    category_id: { label: "Category", hint: "Its number, for example 27 for education.", group: "More" },
    default_language: { label: "Language of the title", hint: "For example en or pt-BR." },
    license: {
      label: "License",
      choices: { "": "Standard (usual)", youtube: "Standard YouTube license", creativeCommon: "Creative Commons" },
    },
    contains_synthetic_media: {
      label: "Altered or synthetic content",
      hint: "Realistic content that was altered or made by a computer.",
      choices: { "": "No (usual)", true: "Yes", false: "No" },
    },
    embeddable: { label: "Other sites may embed the video", choices: { "": "Yes (usual)", true: "Yes", false: "No" } },
    notify_subscribers: { label: "Tell subscribers", choices: { "": "Yes (usual)", true: "Yes", false: "No" } },
    made_for_kids: {
      label: "The video is made for kids",
      hint: "In the legal sense: comments and notifications are then off.",
    },
    playlist_ids: {
      label: "Playlists",
      hint: "Ids of up to five of your playlists, separated by commas: the part after list= in their address.",
      input: "words",
    },
    first_comment: FIRST_COMMENT_FIELD,
  },
} as const satisfies OptionForm;
