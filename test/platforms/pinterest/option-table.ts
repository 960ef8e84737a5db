import { fitRow, type OptionTable, published } from "../../support/option-table.ts";

const [GLAZE, KILN] = ["549755885175", "549755885176"];
const LINK = "https://example.com/glaze";

export const table: OptionTable = {
  plain: {},
  needed: { board_ids: [GLAZE] },
  posts: [
    {
      what: "a pin on boards",
      files: ["portrait.jpg"],
      rows: {
        board_ids: {
          taken: [KILN, GLAZE],
          edited: [GLAZE],
          read: ({ all }) => all.map(({ options }) => options["board_id"] ?? null),
          refused: [
            { value: [], code: "option_invalid", says: "at least 1 item" },
            { value: null, code: "option_required", says: "GET /accounts/pinterest-boards" },
            {
              value: Array.from({ length: 11 }, (_, index) => `${index}`),
              code: "option_invalid",
              says: "at most 10 boards",
            },
            { value: ["Glazes"], code: "option_invalid", says: "an id of the boards endpoint", at: "[0]" },
            { value: ["1"], code: "board_not_found", says: "no board 1", at: "[0]" },
          ],
        },
      },
    },
    {
      what: "a pin in a section",
      files: ["portrait.jpg"],
      needed: { board_ids: [GLAZE] },
      rows: {
        title: {
          taken: "Blue glaze",
          edited: "a".repeat(100),
          read: ({ title }) => title,
          refused: [{ value: "a".repeat(101), code: "option_invalid", says: "at most 100 characters" }],
        },
        link: {
          taken: LINK,
          edited: `${LINK}?page=2`,
          read: published("link"),
          refused: [
            { value: "example.com", code: "option_invalid", says: "absolute http or https URL" },
            { value: `${LINK}?${"a".repeat(2048)}`, code: "option_invalid", says: "at most 2048 characters" },
          ],
        },
        board_section_id: {
          taken: "5123456789",
          edited: "5123456790",
          read: published("board_section_id"),
          refused: [
            { value: "Blue", code: "option_invalid", says: "the id of a section of the board" },
            { value: "3", with: { board_ids: [GLAZE, KILN] }, code: "option_conflict", says: "one board" },
          ],
        },
        dominant_color: {
          taken: "#6E7874",
          edited: "#000000",
          read: published("dominant_color"),
          refused: [{ value: "blue", code: "option_invalid", says: "a color such as #6E7874" }],
        },
      },
    },
    {
      what: "a carousel of unequal images",
      files: ["portrait.jpg", "square.png"],
      needed: { board_ids: [GLAZE] },
      rows: { fit: fitRow("changes", { index: 1, code: "media_dimensions", says: "the same width and height" }) },
    },
  ],
};
