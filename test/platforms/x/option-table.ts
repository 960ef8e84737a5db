import { fitRow, type OptionTable, published, threadRow } from "../../support/option-table.ts";

const POLL = { options: ["Blue", "Green, or so"], duration_minutes: 5 };
const QUOTED = /https:\/\/\S+$/;

export const table: OptionTable = {
  plain: { reply_settings: null },
  posts: [
    {
      what: "a text",
      files: [],
      rows: {
        reply_settings: {
          taken: "following",
          edited: "verified",
          read: published("reply_settings"),
          refused: [
            {
              value: "everyone",
              code: "option_invalid",
              says: "one of following, mentionedUsers, subscribers, verified",
            },
          ],
        },
        poll: {
          taken: POLL,
          edited: { options: ["1", "2", "3", "a".repeat(25)], duration_minutes: 10_080 },
          read: published("poll"),
          refused: [
            { value: POLL, files: ["portrait.jpg"], code: "option_conflict", says: "images, videos or a quote" },
            {
              value: POLL,
              with: { quote_tweet_url: "20" },
              code: "option_conflict",
              says: "images, videos or a quote",
            },
            {
              value: { ...POLL, options: ["1", "2", "3", "4", "5"] },
              code: "option_invalid",
              says: "at most 4 items",
              at: ".options",
            },
            { value: { ...POLL, options: ["1"] }, code: "option_invalid", says: "at least 2 items", at: ".options" },
            {
              value: { ...POLL, options: ["a".repeat(26), "b"] },
              code: "option_invalid",
              says: "at most 25 characters",
              at: ".options[0]",
            },
            {
              value: { ...POLL, duration_minutes: 4 },
              code: "option_invalid",
              says: "5 to 10080 minutes",
              at: ".duration_minutes",
            },
            {
              value: { ...POLL, duration_minutes: 10_081 },
              code: "option_invalid",
              says: "5 to 10080 minutes",
              at: ".duration_minutes",
            },
          ],
        },
        community_id: {
          taken: "1900000000000000001",
          edited: "1900000000000000002",
          read: published("community_id"),
          refused: [{ value: "potters", code: "option_invalid", says: "must be the id of a community" }],
        },
        made_with_ai: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("made_with_ai"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        paid_partnership: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("paid_partnership"),
          refused: [{ value: 1, code: "option_invalid", says: "true or false" }],
        },
      },
    },
    {
      what: "a quote",
      files: [],
      rows: {
        quote_tweet_url: {
          taken: "https://x.com/jack/status/1900000000000000001",
          edited: "1900000000000000003",
          sent: ["https://x.com/jack/status/1900000000000000001", "https://x.com/i/status/1900000000000000003"],
          read: ({ text }) => QUOTED.exec(text)?.[0],
          refused: [{ value: "https://example.com/1", code: "option_invalid", says: "a post on x.com or its id" }],
        },
      },
    },
    {
      what: "an image of more than 5 MiB",
      files: [{ name: "p3.jpg", sizeBytes: 5_300_000 }],
      rows: {
        tagged_user_ids: {
          taken: ["1", "2"],
          edited: ["3"],
          read: published("tagged_user_ids"),
          refused: [
            {
              value: Array.from({ length: 11 }, (_, index) => `${index}`),
              code: "option_invalid",
              says: "at most 10 items",
            },
            { value: ["ada"], code: "option_invalid", says: "the id of a user of X", at: "[0]" },
            { value: ["1"], files: [], code: "option_conflict", says: "images and videos" },
          ],
        },
        fit: fitRow("stays", { index: 0, code: "media_too_large", says: "at most 5242880 bytes" }),
      },
    },
    // Ada pays for X, which takes longer texts from her.
    { what: "a thread", files: [], rows: { thread: threadRow(25_000) } },
  ],
};
