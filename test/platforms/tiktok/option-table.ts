import { fitRow, type OptionTable, published } from "../../support/option-table.ts";

const flag = [{ value: "yes", code: "option_invalid", says: "true or false" }] as const;

export const table: OptionTable = {
  plain: {
    privacy_status: "public",
    allow_comment: true,
    allow_duet: true,
    allow_stitch: true,
    is_ai_generated: false,
    disclose_your_brand: false,
    disclose_branded_content: false,
    is_draft: false,
  },
  posts: [
    {
      what: "a video",
      files: ["portrait.mp4"],
      rows: {
        allow_comment: {
          taken: false,
          edited: true,
          sent: [true, false],
          read: published("disable_comment"),
          refused: flag,
        },
        allow_duet: {
          taken: false,
          edited: true,
          sent: [true, false],
          read: published("disable_duet"),
          refused: flag,
          ignoredWith: ["portrait.jpg"],
        },
        allow_stitch: {
          taken: false,
          edited: true,
          sent: [true, false],
          read: published("disable_stitch"),
          refused: flag,
          ignoredWith: ["portrait.jpg"],
        },
        is_ai_generated: {
          taken: true,
          edited: false,
          read: published("is_aigc"),
          refused: [
            ...flag,
            { value: true, files: ["portrait.jpg"], code: "option_conflict", says: "only videos as made by AI" },
          ],
        },
        disclose_your_brand: {
          taken: true,
          edited: false,
          read: published("brand_organic_toggle"),
          refused: flag,
        },
        disclose_branded_content: {
          taken: true,
          edited: false,
          read: published("brand_content_toggle"),
          refused: [
            ...flag,
            {
              value: true,
              with: { privacy_status: "private" },
              code: "option_conflict",
              says: "branded content cannot be private",
            },
          ],
        },
      },
    },
    {
      what: "who sees a video",
      files: ["portrait.mp4"],
      rows: {
        privacy_status: {
          taken: "public",
          edited: "friends",
          sent: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS"],
          read: published("privacy_level"),
          refused: [
            { value: "everyone", code: "option_invalid", says: "one of public, friends, followers, private" },
            { value: "followers", code: "option_not_allowed", says: "public, friends, private" },
          ],
        },
      },
    },
    {
      what: "a draft",
      files: ["portrait.mp4"],
      rows: {
        is_draft: { taken: true, edited: false, sent: ["draft", "video"], read: ({ kind }) => kind, refused: flag },
      },
    },
    {
      what: "photos",
      files: ["portrait.jpg", "portrait.jpg", "square.png"],
      rows: {
        title: {
          taken: "Two bowls",
          edited: "a".repeat(90),
          read: ({ title }) => title,
          refused: [{ value: "a".repeat(91), code: "option_invalid", says: "at most 90 characters" }],
          ignoredWith: ["portrait.mp4"],
        },
        auto_add_music: {
          taken: true,
          edited: false,
          read: published("auto_add_music"),
          refused: flag,
          ignoredWith: ["portrait.mp4"],
        },
        photo_cover_index: {
          taken: 1,
          edited: 2,
          read: published("photo_cover_index"),
          refused: [
            { value: -1, code: "option_invalid", says: "must be 0 or more" },
            { value: 3, code: "option_conflict", says: "the post has 3 images: the last one is 2" },
          ],
          ignoredWith: ["portrait.mp4"],
        },
        fit: fitRow("stays", { index: 2, code: "media_type_unsupported", says: "image/jpeg, image/webp" }),
      },
    },
  ],
};
