import { firstCommentRow, fitRow, type OptionTable, published } from "../../support/option-table.ts";

const LINK = "https://example.com/glazes";

export const table: OptionTable = {
  plain: { placement: "timeline" },
  posts: [
    {
      what: "a text",
      files: [],
      rows: {
        link: {
          taken: LINK,
          edited: `${LINK}?page=2`,
          read: published("link"),
          refused: [
            { value: "example.com", code: "option_invalid", says: "absolute http or https URL" },
            { value: LINK, files: ["portrait.jpg"], code: "option_conflict", says: "leave out the media or the link" },
          ],
        },
        place: {
          taken: "110506962309835",
          edited: "110506962309836",
          read: published("place"),
          refused: [{ value: "Berlin", code: "option_invalid", says: "the id of a Page" }],
          ignoredWith: ["portrait.mp4"],
        },
        first_comment: firstCommentRow(8000),
      },
    },
    {
      what: "a video",
      files: ["portrait.mp4"],
      rows: {
        placement: {
          taken: "timeline",
          edited: "reels",
          read: published("placement"),
          refused: [
            { value: "story", code: "option_invalid", says: "one of timeline, reels" },
            { value: "reels", files: ["portrait.jpg"], code: "option_conflict", says: "a reel is exactly one video" },
          ],
        },
        title: {
          taken: "A turn",
          edited: "Another turn",
          read: ({ title }) => title,
          refused: [{ value: "", code: "option_invalid", says: "at least 1 character" }],
          ignoredWith: ["portrait.jpg"],
        },
      },
    },
    {
      what: "a story",
      files: ["portrait.mp4"],
      rows: {
        story: {
          taken: true,
          edited: false,
          sent: ["story", "reel"],
          read: ({ kind }) => kind,
          refused: [
            { value: "yes", code: "option_invalid", says: "true or false" },
            {
              value: true,
              files: ["portrait.jpg", "portrait.jpg"],
              code: "media_too_many",
              says: "exactly one image or video",
              param: "media_items",
            },
            { value: true, files: [], code: "media_required", says: "image or video", param: "media_items" },
            {
              value: true,
              with: { link: LINK },
              code: "option_conflict",
              says: "a story has no link",
              param: "targets[0].platform_options.link",
            },
            {
              value: true,
              with: { place: "110506962309835" },
              code: "option_conflict",
              says: "a story has no place",
              param: "targets[0].platform_options.place",
            },
            {
              value: true,
              with: { first_comment: "Which glaze?" },
              code: "option_conflict",
              says: "a story takes no comments",
              param: "targets[0].platform_options.first_comment",
            },
          ],
        },
      },
    },
    {
      what: "an image of a format that Facebook does not take",
      files: ["landscape.webp"],
      rows: { fit: fitRow("stays", { index: 0, code: "media_type_unsupported", says: "image/jpeg, image/png" }) },
    },
  ],
};
