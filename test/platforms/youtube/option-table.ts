import { firstCommentRow, type OptionTable, published } from "../../support/option-table.ts";

const PLAYLIST = "PLada0000000000000000000";

export const table: OptionTable = {
  plain: { title: "A title", made_for_kids: false },
  posts: [
    {
      what: "a video",
      files: ["portrait.mp4"],
      rows: {
        title: {
          taken: "How to glaze a bowl",
          edited: "a".repeat(100),
          read: ({ title }) => title,
          refused: [
            { value: "a".repeat(101), code: "option_invalid", says: "at most 100 characters" },
            { value: "a < b", code: "option_invalid", says: "< or >" },
            { value: " ", code: "option_invalid", says: "not be blank" },
            { value: null, code: "option_required", says: "is missing" },
          ],
        },
        privacy_status: {
          taken: "unlisted",
          edited: "public",
          read: published("privacyStatus"),
          refused: [{ value: "friends", code: "option_invalid", says: "one of public, unlisted, private" }],
        },
        tags: {
          taken: ["clay", "blue glaze"],
          edited: ["a".repeat(400), "b".repeat(99)],
          read: published("tags"),
          refused: [
            { value: ["a".repeat(498), "b c"], code: "option_invalid", says: "500 characters in all" },
            { value: ["a<b"], code: "option_invalid", says: "< or >" },
          ],
        },
        category_id: {
          taken: "27",
          edited: "26",
          read: published("categoryId"),
          refused: [{ value: "education", code: "option_invalid", says: "the number of a category" }],
        },
        default_language: {
          taken: "de",
          edited: "pt-BR",
          read: published("defaultLanguage"),
          refused: [{ value: "German", code: "option_invalid", says: "a language tag such as en or pt-BR" }],
        },
        contains_synthetic_media: {
          taken: true,
          edited: false,
          read: published("containsSyntheticMedia"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        embeddable: {
          taken: false,
          edited: true,
          read: published("embeddable"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        license: {
          taken: "creativeCommon",
          edited: "youtube",
          read: published("license"),
          refused: [{ value: "mit", code: "option_invalid", says: "one of youtube, creativeCommon" }],
        },
        notify_subscribers: {
          taken: false,
          edited: true,
          sent: [false, null],
          read: published("notifySubscribers"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        playlist_ids: {
          taken: [`${PLAYLIST}_1`],
          edited: [`${PLAYLIST}_2`, `${PLAYLIST}_3`],
          read: ({ extras }) => extras.flatMap(({ name, text }) => (name === "playlists" ? [text] : [])).toSorted(),
          refused: [
            {
              value: Array.from({ length: 6 }, (_, index) => `PL00000000${index}`),
              code: "option_invalid",
              says: "at most 5 items",
            },
            { value: ["PL000000001", "PL000000001"], code: "option_invalid", says: "must not name a playlist twice" },
            { value: ["?list=PL"], code: "option_invalid", says: "the id of a playlist", at: "[0]" },
          ],
        },
        first_comment: {
          ...firstCommentRow(10_000),
          refused: [
            ...firstCommentRow(10_000).refused,
            {
              value: "Which glaze?",
              with: { privacy_status: "private" },
              code: "option_conflict",
              says: "a video that is private",
            },
            {
              value: "Which glaze?",
              with: { made_for_kids: true },
              code: "option_conflict",
              says: "a video that is made for kids",
            },
          ],
        },
      },
    },
    {
      what: "a video for children",
      files: ["portrait.mp4"],
      needed: { title: "A title" },
      rows: {
        made_for_kids: {
          taken: true,
          edited: false,
          read: published("selfDeclaredMadeForKids"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
      },
    },
  ],
};
