/*
 * LinkedIn's "little text" format (little-text-format): an unescaped reserved character truncates the post, and LinkedIn
 * still reports success.
 */

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/** A hashtag at the start of a word, not one inside a URL; or any reserved character. */
const HASHTAG_OR_RESERVED = /(?<![\p{L}\p{M}\p{N}_/&#])#([\p{L}\p{M}\p{N}_]+)|[\\|{}@[\]()<>#*_~]/gu;

/** The caption in LinkedIn's format; only for requests, never stored. */
export function toLittleText(caption: string): string {
  return caption.replace(HASHTAG_OR_RESERVED, (match, tag: string | undefined) =>
    tag !== undefined && /\p{L}/u.test(tag) ? `{hashtag|\\#|${escapeReserved(tag)}}` : escapeReserved(match),
  );
}

function escapeReserved(text: string): string {
  return text.replace(RESERVED, "\\$&");
}

/** The text that a reader of the post sees. */
export function fromLittleText(text: string): string {
  return text
    .replace(/\{hashtag\|\\?[#＃]\|((?:\\.|[^\\}])*)\}/g, "#$1")
    .replace(/@\[((?:\\.|[^\\\]])*)\]\(urn:li:[^()\s]*\)/g, "$1")
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, "$1");
}
