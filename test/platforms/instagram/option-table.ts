import { firstCommentRow, fitRow, type OptionTable, published } from "../../support/option-table.ts";

const TAG = { username: "ben", x: 0.5, y: 0 };

export const table: OptionTable = {
  plain: { placement: "timeline", trial_reel_type: null },
  posts: [
    {
      what: "an image",
      files: ["portrait.jpg"],
      rows: {
        collaborators: {
          taken: ["ben", "cleo"],
          edited: ["cleo"],
          read: published("collaborators"),
          refused: [
            { value: ["a", "b", "c", "d"], code: "option_invalid", says: "at most 3 items" },
            { value: ["@ben"], code: "option_invalid", says: "without @", at: "[0]" },
          ],
        },
        user_tags: {
          taken: [TAG],
          edited: [TAG, { username: "cleo", x: 1, y: 1 }],
          read: published("user_tags"),
          refused: [
            { value: [{ ...TAG, x: 1.5 }], code: "option_invalid", says: "a number from 0 to 1", at: "[0].x" },
            { value: [{ username: "ben" }], code: "option_conflict", says: "x and y", at: "[0]" },
            { value: [{ ...TAG, media_index: 1 }], code: "option_conflict", says: "1 items", at: "[0]" },
          ],
        },
        location_id: {
          taken: "110506962309835",
          edited: "110506962309836",
          read: published("location_id"),
          refused: [{ value: "Berlin", code: "option_invalid", says: "the id of a Facebook Page" }],
        },
        is_ai_generated: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("is_ai_generated"),
          refused: [{ value: "yes", code: "option_invalid", says: "true or false" }],
        },
        first_comment: firstCommentRow(2200),
      },
    },
    {
      what: "a reel",
      files: ["portrait.mp4"],
      rows: {
        share_to_feed: {
          taken: false,
          edited: true,
          read: published("share_to_feed"),
          refused: [
            { value: "no", code: "option_invalid", says: "true or false" },
            {
              value: false,
              with: { placement: "timeline" },
              code: "option_conflict",
              says: "always shared to the main feed",
            },
          ],
        },
        audio_name: {
          taken: "Wheel",
          edited: "Kiln",
          read: published("audio_name"),
          refused: [{ value: "", code: "option_invalid", says: "at least 1 character" }],
          ignoredWith: ["portrait.jpg"],
        },
        user_tags: {
          taken: [{ username: "ben" }],
          edited: [{ username: "cleo" }],
          read: published("user_tags"),
          refused: [{ value: [TAG], code: "option_conflict", says: "video", at: "[0]" }],
        },
      },
    },
    {
      what: "a carousel",
      files: ["portrait.jpg", "portrait.mp4"],
      rows: {
        collaborators: {
          taken: ["cleo"],
          edited: [],
          sent: [["cleo"], null],
          read: published("collaborators"),
          refused: [{ value: "cleo", code: "option_invalid", says: "must be a list" }],
        },
        user_tags: {
          taken: [TAG, { username: "cleo", media_index: 1 }],
          edited: [{ ...TAG, media_index: 0 }],
          sent: [
            [[TAG], [{ username: "cleo" }]],
            [[TAG], null],
          ],
          read: published("user_tags_of_items"),
          refused: [{ value: [{ ...TAG, media_index: 2 }], code: "option_conflict", says: "2 items", at: "[0]" }],
        },
      },
    },
    {
      what: "a trial reel",
      files: ["portrait.mp4"],
      rows: {
        trial_reel_type: {
          taken: "manual",
          edited: "performance",
          sent: [{ graduation_strategy: "MANUAL" }, { graduation_strategy: "SS_PERFORMANCE" }],
          read: published("trial_params"),
          refused: [
            { value: "always", code: "option_invalid", says: "one of manual, performance" },
            { value: "manual", files: ["portrait.jpg"], code: "option_conflict", says: "only a single video" },
            {
              value: "manual",
              with: { placement: "timeline" },
              code: "option_conflict",
              says: "cannot be placed in the timeline",
            },
          ],
        },
      },
    },
    {
      what: "a video in the timeline",
      files: ["portrait.mp4"],
      rows: {
        placement: {
          taken: "timeline",
          edited: "reels",
          // Every single video is a reel at Instagram, and shared to the main feed unless that is switched off.
          sent: ["reel", "reel"],
          read: ({ kind }) => kind,
          refused: [
            { value: "stories", code: "option_invalid", says: "one of timeline, reels" },
            { value: "reels", files: ["portrait.jpg"], code: "option_conflict", says: "a reel is exactly one video" },
          ],
        },
      },
    },
    {
      what: "a story",
      files: ["portrait.jpg"],
      rows: {
        story: {
          taken: true,
          edited: false,
          sent: ["story", "image"],
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
            {
              value: true,
              with: { collaborators: ["ben"] },
              code: "option_conflict",
              says: "a story has no collaborators",
              param: "targets[0].platform_options.collaborators",
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
      what: "people in a story",
      files: ["portrait.mp4"],
      needed: { story: true },
      rows: {
        user_tags: {
          taken: [TAG, { username: "cleo" }],
          edited: [{ username: "ben", x: 1, y: 1 }],
          read: published("user_tags"),
          refused: [
            { value: [{ username: "ben", x: 0.5 }], code: "option_conflict", says: "x and y", at: "[0]" },
            { value: [{ username: "ben", media_index: 1 }], code: "option_conflict", says: "one item", at: "[0]" },
          ],
        },
      },
    },
    {
      what: "images of which Instagram would cut the second",
      files: ["portrait.jpg", "landscape.webp"],
      rows: { fit: fitRow("changes", { index: 1, code: "media_type_unsupported", says: "image/jpeg" }) },
    },
  ],
};
