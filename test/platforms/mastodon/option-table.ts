import { type OptionTable, published, threadRow } from "../../support/option-table.ts";

export const table: OptionTable = {
  plain: { visibility: "public" },
  posts: [
    {
      what: "an image",
      files: ["portrait.jpg"],
      rows: {
        visibility: {
          taken: "unlisted",
          edited: "private",
          read: published("visibility"),
          refused: [{ value: "followers", code: "option_invalid", says: "one of public, unlisted, private, direct" }],
        },
        sensitive: {
          taken: true,
          edited: false,
          read: published("sensitive"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        language: {
          taken: "de",
          edited: "pt",
          read: published("language"),
          refused: [{ value: "German", code: "option_invalid", says: "an ISO 639 language code" }],
        },
        alt_texts: {
          taken: ["One"],
          edited: ["Another"],
          read: published("alt_texts"),
          refused: [
            { value: ["1", "2"], code: "option_invalid", says: "more descriptions than the post has" },
            { value: ["a".repeat(10_001)], code: "option_invalid", says: "at most 10000 characters", at: "[0]" },
          ],
        },
      },
    },
    // A content warning hides the media whatever `sensitive` says.
    {
      what: "a text with a content warning",
      files: [],
      rows: {
        spoiler_text: {
          taken: "Clay",
          edited: "More clay",
          read: published("spoiler_text"),
          refused: [
            { value: 7, code: "option_invalid", says: "must be a text" },
            { value: "a".repeat(501), code: "caption_too_long", says: "at most 500 characters", param: "caption" },
          ],
        },
      },
    },
    { what: "a thread", files: [], rows: { thread: threadRow(500) } },
  ],
};
