import { mentionOf } from "#platforms/mentions.ts";

/* LinkedIn's "little text" format (little-text-format). An unescaped reserved character cuts the post off, and
   LinkedIn still reports success. */

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/**
 * Matches a mention of a person or an organization ("MentionElement" of
 * https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format); or a hashtag at the
 * start of a word, not inside a URL; or a reserved character.
 */
const MARKUP = new RegExp(
  [
    mentionOf("urn:li:(?:person|organization):[A-Za-z0-9_-]{1,60}"),
    /(?<![\p{L}\p{M}\p{N}_/&#])#([\p{L}\p{M}\p{N}_]+)/u.source,
    RESERVED.source,
  ].join("|"),
  "gu",
);

/** Writes a caption in LinkedIn's format, for requests only. */
export function toLittleText(caption: string): string {
  return caption.replace(MARKUP, (match: string, name?: string, urn?: string, tag?: string) => {
    if (name !== undefined && urn !== undefined) {
      return `@[${escapeReserved(name)}](${urn})`;
    }
    return tag !== undefined && /\p{L}/u.test(tag) ? `{hashtag|\\#|${escapeReserved(tag)}}` : escapeReserved(match);
  });
}

function escapeReserved(text: string): string {
  return text.replace(RESERVED, "\\$&");
}

/** Converts a text in LinkedIn's format to what a reader of the post sees. */
export function fromLittleText(text: string): string {
  return text
    .replace(/\{hashtag\|\\?[#＃]\|((?:\\.|[^\\}])*)\}/g, "#$1")
    .replace(/@\[((?:\\.|[^\\\]])*)\]\(urn:li:[^()\s]*\)/g, "$1")
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, "$1");
}
