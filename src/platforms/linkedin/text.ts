/*
 * LinkedIn's "little text" (little-text-format): one reserved character without its backslash cuts a post short, and the
 * answer is a success all the same.
 */

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/** A hashtag at the start of a word, not one in the middle of an address; or any reserved character. */
const HASHTAG_OR_RESERVED = /(?<![\p{L}\p{M}\p{N}_/&#])#([\p{L}\p{M}\p{N}_]+)|[\\|{}@[\]()<>#*_~]/gu;

/** The final caption as LinkedIn wants it; never stored. */
export function toLittleText(caption: string): string {
  return caption.replace(HASHTAG_OR_RESERVED, (whole, tag: string | undefined) =>
    tag !== undefined && /\p{L}/u.test(tag) ? `{hashtag|\\#|${escaped(tag)}}` : escaped(whole),
  );
}

function escaped(text: string): string {
  return text.replace(RESERVED, "\\$&");
}

/** What a reader sees of a little text. */
export function fromLittleText(text: string): string {
  return text
    .replace(/\{hashtag\|\\?[#＃]\|((?:\\.|[^\\}])*)\}/g, "#$1")
    .replace(/@\[((?:\\.|[^\\\]])*)\]\(urn:li:[^()\s]*\)/g, "$1")
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, "$1");
}
