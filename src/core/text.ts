/** Line breaks, tabs, NUL and other characters that are not text. */
const CONTROL = /\p{Cc}/u;
const CONTROL_RUN = /\p{Cc}+/gu;
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
