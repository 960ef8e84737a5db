import { ORIGIN } from "../../support/origin.ts";
import { firstCommentRow, fitRow, type OptionTable, published } from "../../support/option-table.ts";

const ARTICLE = { url: "https://example.com/glazes", title: "Glazes" };
const PDF = `${ORIGIN}/sandbox/media/handbook.pdf`;
const POLL = { question: "Which one?", options: ["Blue", "Green"], duration: "ONE_DAY" };
const LONG_POLL = {
  question: "q".repeat(140),
  options: ["Blue", "Green", "White", "a".repeat(30)],
  duration: "FOURTEEN_DAYS",
};

/** As LinkedIn's Polls API has it. */
const sentPoll = ({ question, options, duration }: typeof POLL) => ({
  question,
  options: options.map((text) => ({ text })),
  settings: { duration },
});

export const table: OptionTable = {
  plain: {},
  posts: [
    {
      what: "a text with a link",
      files: [],
      rows: {
        visibility: {
          taken: "connections",
          edited: "public",
          sent: ["CONNECTIONS", "PUBLIC"],
          read: published("visibility"),
          refused: [
            { value: "private", code: "option_invalid", says: "one of public, connections" },
            {
              value: "connections",
              accountName: "Example GmbH",
              code: "option_conflict",
              says: "only members have connections",
            },
          ],
        },
        disable_reshare: {
          taken: true,
          edited: false,
          sent: [true, null],
          read: published("isReshareDisabledByAuthor"),
          refused: [{ value: "no", code: "option_invalid", says: "true or false" }],
        },
        article: {
          taken: ARTICLE,
          edited: { ...ARTICLE, url: "https://example.com/clay", description: "All of them" },
          sent: [
            { source: ARTICLE.url, title: ARTICLE.title },
            { source: "https://example.com/clay", title: ARTICLE.title, description: "All of them" },
          ],
          read: published("article"),
          refused: [
            { value: { url: ARTICLE.url }, code: "option_required", says: "is missing", at: ".title" },
            { value: { ...ARTICLE, url: "a" }, code: "option_invalid", says: "http or https URL", at: ".url" },
            { value: ARTICLE, files: ["portrait.jpg"], code: "option_conflict", says: "only in posts without media" },
          ],
        },
      },
    },
    {
      what: "a poll",
      files: [],
      rows: {
        poll: {
          taken: POLL,
          edited: LONG_POLL,
          sent: [sentPoll(POLL), sentPoll(LONG_POLL)],
          read: published("poll"),
          refused: [
            {
              value: { ...POLL, question: "q".repeat(141) },
              code: "option_invalid",
              says: "at most 140 characters",
              at: ".question",
            },
            {
              value: { ...POLL, options: ["a".repeat(31), "b"] },
              code: "option_invalid",
              says: "at most 30 characters",
              at: ".options[0]",
            },
            { value: { ...POLL, options: ["a"] }, code: "option_invalid", says: "at least 2 items", at: ".options" },
            {
              value: { ...POLL, options: ["1", "2", "3", "4", "5"] },
              code: "option_invalid",
              says: "at most 4 items",
              at: ".options",
            },
            {
              value: { ...POLL, duration: "TWO_DAYS" },
              code: "option_invalid",
              says: "ONE_DAY, THREE_DAYS, SEVEN_DAYS, FOURTEEN_DAYS",
              at: ".duration",
            },
            { value: POLL, files: ["portrait.jpg"], code: "option_conflict", says: "only in posts without media" },
            { value: POLL, with: { article: ARTICLE }, code: "option_conflict", says: "either a link card or a poll" },
          ],
        },
      },
    },
    {
      what: "a document",
      files: [],
      rows: {
        document: {
          taken: { url: PDF, title: "Glazes" },
          edited: { url: PDF, title: "Glazes and clays" },
          shown: [
            { title: "Glazes", pages: 3 },
            { title: "Glazes and clays", pages: 3 },
          ],
          sent: ["document Glazes", "document Glazes and clays"],
          read: ({ kind, title }) => `${kind} ${title}`,
          refused: [
            { value: { url: PDF, title: " " }, code: "option_invalid", says: "must not be blank", at: ".title" },
            { value: { url: PDF }, code: "option_required", says: "is missing", at: ".title" },
            {
              value: { url: `${ORIGIN}/sandbox/media/portrait.jpg`, title: "Glazes" },
              code: "media_type_mismatch",
              says: "a document is a PDF file",
              at: ".url",
            },
            {
              value: { url: PDF, title: "Glazes" },
              files: ["portrait.jpg"],
              code: "option_conflict",
              says: "only in posts without media",
            },
            {
              value: { url: PDF, title: "Glazes" },
              with: { article: ARTICLE },
              code: "option_conflict",
              says: "either a link card or a document",
            },
          ],
        },
      },
    },
    {
      what: "an image of a format that LinkedIn does not take",
      files: ["landscape.webp"],
      rows: { fit: fitRow("stays", { index: 0, code: "media_type_unsupported", says: "image/jpeg, image/png" }) },
    },
    {
      what: "a text of a company",
      files: [],
      accountName: "Example GmbH",
      rows: { first_comment: firstCommentRow(1250) },
    },
  ],
};
