import { StatementSplitter } from "../../scripts/backup/sql-file.ts";

/** A form of SQL that SQLite takes and D1's `/query` was reported to refuse with "incomplete input". */
interface RefusedShape {
  readonly name: string;
  /** In cloudflare/workers-sdk where no repository is named. */
  readonly reports: string;
  matches(sql: SplitSql): boolean;
}

interface SplitSql {
  readonly text: string;
  readonly comments: readonly string[];
  /** Without comments and texts. */
  readonly statements: readonly string[];
  readonly triggers: readonly string[];
}

const MAX_BYTES = 40_000;
const COMMENT_OR_TEXT = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|`[^`]*`/g;
const isComment = (token: string): boolean => token.startsWith("--") || token.startsWith("/*");

function split(text: string): SplitSql {
  const comments = (text.match(COMMENT_OR_TEXT) ?? []).filter(isComment);
  const code = text.replaceAll(COMMENT_OR_TEXT, (token) => (isComment(token) ? "" : "''"));
  const statements = [...new StatementSplitter().push(code, true)].map((one) => one.trim()).filter((one) => one !== "");
  const triggers = statements.filter((one) => /^CREATE\s+(?:TEMP\w*\s+)?TRIGGER\b/i.test(one));
  return { text, comments, statements, triggers };
}

export const REFUSED_SHAPES: readonly RefusedShape[] = [
  {
    name: "a CASE without parentheses in a trigger",
    reports: "4326, 4727",
    matches: ({ triggers }) => triggers.some((trigger) => /(?<!\(\s*)\bCASE\b/i.test(trigger)),
  },
  {
    name: "a begin or end in small letters",
    reports: "15314; arul28/ADE 934",
    matches: ({ triggers }) => triggers.some((trigger) => /\b(?:begin|end)\b/.test(trigger)),
  },
  {
    name: "CRLF in a trigger",
    reports: "14991",
    matches: ({ triggers }) => triggers.some((trigger) => trigger.includes("\r")),
  },
  {
    name: "a multi-line trigger beside other statements",
    reports: "15690, 15178, 4998",
    matches: ({ statements, triggers }) => statements.length > 1 && triggers.some((trigger) => trigger.includes("\n")),
  },
  {
    name: "several statements of more than 40 KB",
    reports: "paperboytm/spool 508",
    matches: ({ text, statements }) => statements.length > 1 && Buffer.byteLength(text) > MAX_BYTES,
  },
  {
    name: "a quote in a comment beside several statements",
    reports: "4713",
    matches: ({ comments, statements }) => statements.length > 1 && comments.some((comment) => /['"`]/.test(comment)),
  },
  {
    name: "a semicolon in a comment",
    reports: "3892",
    matches: ({ comments }) => comments.some((comment) => comment.includes(";")),
  },
];

/** The names of all reported forms that this SQL has. */
export function refusedShapes(sql: string): string[] {
  const parts = split(sql);
  return REFUSED_SHAPES.filter((shape) => shape.matches(parts)).map(({ name }) => name);
}
