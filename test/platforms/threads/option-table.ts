import { fitRow, type OptionTable, published, threadRow } from "../../support/option-table.ts";

const LINK = "https://example.com/glazes";

export const table: OptionTable = {
  plain: {},
  posts: [
    {
      what: "a text with a link",
      files: [],
      rows: {
        reply_control: {
          taken: "mentioned_only",
          edited: "followers_only",
          read: published("reply_control"),
          refused: [
            {
              value: "nobody",
              code: "option_invalid",
              says: "everyone, accounts_you_follow, mentioned_only, parent_post_author_only, followers_only",
            },
          ],
        },
        topic_tag: {
          taken: "Glazes, all of them",
          edited: "a".repeat(50),
          read: published("topic_tag"),
          refused: [
            { value: "a".repeat(51), code: "option_invalid", says: "at most 50 characters" },
            { value: "a.b", code: "option_invalid", says: ". or &" },
            { value: "a&b", code: "option_invalid", says: ". or &" },
            { value: " ", code: "option_invalid", says: "not be blank" },
          ],
        },
        link_attachment: {
          taken: LINK,
          edited: `${LINK}?page=2`,
          read: published("link_attachment"),
          refused: [
            { value: "example.com", code: "option_invalid", says: "absolute http or https URL" },
            { value: LINK, files: ["portrait.jpg"], code: "option_conflict", says: "posts without media" },
          ],
        },
      },
    },
    {
      what: "a poll",
      files: [],
      rows: {
        poll: {
          taken: { options: ["Blue", "Green"] },
          edited: { options: ["Blue", "Green", "White", "a".repeat(25)] },
          sent: [
            { option_a: "Blue", option_b: "Green" },
            { option_a: "Blue", option_b: "Green", option_c: "White", option_d: "a".repeat(25) },
          ],
          read: published("poll_attachment"),
          refused: [
            { value: { options: ["1"] }, code: "option_invalid", says: "at least 2 items", at: ".options" },
            {
              value: { options: ["1", "2", "3", "4", "5"] },
              code: "option_invalid",
              says: "at most 4 items",
              at: ".options",
            },
            {
              value: { options: ["a".repeat(26), "b"] },
              code: "option_invalid",
              says: "at most 25 characters",
              at: ".options[0]",
            },
            {
              value: { options: ["a", "b"] },
              files: ["portrait.jpg"],
              code: "option_conflict",
              says: "posts without media",
            },
            {
              value: { options: ["a", "b"] },
              with: { link_attachment: LINK },
              code: "option_conflict",
              says: "either a link or a poll",
            },
          ],
        },
      },
    },
    {
      what: "an image of a format that Threads does not take",
      files: ["landscape.webp"],
      rows: {
        is_spoiler: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("is_spoiler_media"),
          refused: [
            { value: "true", code: "option_invalid", says: "true or false" },
            { value: true, files: [], code: "option_conflict", says: "only images and videos" },
          ],
        },
        fit: fitRow("stays", { index: 0, code: "media_type_unsupported", says: "image/jpeg, image/png" }),
      },
    },
    {
      what: "a carousel",
      files: ["portrait.jpg", "square.png"],
      rows: {
        is_spoiler: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("is_spoiler_media"),
          refused: [{ value: 1, code: "option_invalid", says: "true or false" }],
        },
        reply_control: {
          taken: "everyone",
          edited: "parent_post_author_only",
          read: published("reply_control"),
          refused: [{ value: "nobody", code: "option_invalid", says: "everyone" }],
        },
      },
    },
    { what: "a thread", files: [], rows: { thread: threadRow(500) } },
  ],
};
