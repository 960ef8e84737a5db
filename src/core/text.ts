/** Matches a control character, such as a line break, a tab or NUL. */
const CONTROL = /\p{Cc}/u;
const CONTROL_RUN = /\p{Cc}+/gu;
const NOT_PLAIN = /[\p{Cc}--[\n\t]]/gv;
/** Matches control characters and others that change a text invisibly: direction marks, joiners, lone surrogates. */
const INVISIBLE_RUN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

/** Makes untrusted text one line of well-formed Unicode. */
export function toSingleLine(text: string): string {
  return text.toWellFormed().replace(CONTROL_RUN, " ");
}

/** Replaces invisible characters: by a space, to keep words apart, or by nothing, to join them. */
export function replaceInvisible(text: string, replacement: " " | ""): string {
  return text.replace(INVISIBLE_RUN, replacement);
}

/**
 * Makes untrusted text well-formed Unicode. Tabs and line breaks (as `\n`) remain; other control characters are
 * removed.
 */
export function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replace(NOT_PLAIN, "");
}

/** Makes untrusted text one line without invisible characters. */
export function toVisibleLine(text: string): string {
  return replaceInvisible(text, " ").replaceAll(/\s+/g, " ").trim();
}

const FIRST_WORDS = 60;

/** The first words of an untrusted text, on one line of at most 60 characters. Empty if the text has no words. */
export function firstWords(text: string): string {
  const characters = [...toVisibleLine(text)];
  return characters.length > FIRST_WORDS
    ? `${characters.slice(0, FIRST_WORDS).join("").trimEnd()}…`
    : characters.join("");
}

/**
 * Matches a character that a person can see: a letter, number, sign or picture. The blank Braille pattern is not one.
 */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}
