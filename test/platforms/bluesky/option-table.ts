import { type OptionTable, published, threadRow } from "../../support/option-table.ts";

const CARD = { uri: "https://example.com/glazes", title: "Glazes", description: "All of them" };

export const table: OptionTable = {
  plain: {},
  posts: [
    {
      what: "a text with a link card",
      files: [],
      rows: {
        langs: {
          taken: ["en"],
          edited: ["de", "pt-BR", "en"],
          read: published("langs"),
          refused: [
            { value: ["en", "de", "fr", "it"], code: "option_invalid", says: "at most 3 items" },
            { value: ["English"], code: "option_invalid", says: "a language tag such as en or pt-BR", at: "[0]" },
          ],
        },
        link_card: {
          taken: CARD,
          edited: { ...CARD, title: "Clay" },
          read: published("external"),
          refused: [
            { value: { uri: CARD.uri, title: "a" }, code: "option_required", says: "is missing", at: ".description" },
            { value: { ...CARD, uri: "example.com" }, code: "option_invalid", says: "http or https", at: ".uri" },
            {
              value: { ...CARD, title: "a".repeat(301) },
              code: "option_invalid",
              says: "at most 300 characters",
              at: ".title",
            },
            { value: CARD, files: ["portrait.jpg"], code: "option_conflict", says: "either a link card or media" },
          ],
        },
      },
    },
    {
      what: "images",
      files: ["portrait.jpg", "square.png"],
      rows: {
        alt_texts: {
          taken: ["One", "Two"],
          edited: ["One", "Another"],
          read: published("alt_texts"),
          refused: [
            { value: ["1", "2", "3", "4", "5"], code: "option_invalid", says: "at most 4 items" },
            { value: ["1", "2", "3"], code: "option_invalid", says: "more descriptions than the post has" },
            { value: ["a".repeat(2001)], code: "option_invalid", says: "at most 2000 characters", at: "[0]" },
          ],
        },
      },
    },
    { what: "a thread", files: [], rows: { thread: threadRow(300) } },
  ],
};
