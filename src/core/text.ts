/** Line breaks, tabs, NUL and other characters that are not text. */
const CONTROL = /\p{Cc}/u;
const CONTROL_RUN = /\p{Cc}+/gu;
const NOT_PLAIN = /[\p{Cc}--[\n\t]]/gv;
/** Control characters and those that change a text without being seen: direction marks, joiners, halves of characters. */
const INVISIBLE_RUN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

/** Untrusted text as well-formed Unicode on one line. */
export function toSingleLine(text: string): string {
  return text.toWellFormed().replace(CONTROL_RUN, " ");
}

/** Replaces what cannot be seen; `replacement` keeps words apart, or is empty to join them. */
export function replaceInvisible(text: string, replacement: " " | ""): string {
  return text.replace(INVISIBLE_RUN, replacement);
}

/** Untrusted text as well-formed Unicode with tabs and line breaks (`\n`), and no other control characters. */
export function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replace(NOT_PLAIN, "");
}

/** Untrusted text as one line without what cannot be seen. */
export function toVisibleLine(text: string): string {
  return replaceInvisible(text, " ").replaceAll(/\s+/g, " ").trim();
}

const FIRST_WORDS = 60;

/** The beginning of an untrusted text as one line of at most 60 characters; empty for a text without words. */
export function firstWords(text: string): string {
  const characters = [...toVisibleLine(text)];
  return characters.length > FIRST_WORDS
    ? `${characters.slice(0, FIRST_WORDS).join("").trimEnd()}…`
    : characters.join("");
}
