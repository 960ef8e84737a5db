import { stripVTControlCharacters } from "node:util";

/** Moves the cursor, changes colours or the direction of text: never part of what somebody else's words may do here. */
// oxlint-disable-next-line no-control-regex -- these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// oxlint-disable-next-line no-control-regex -- JSON.stringify leaves these as they are
const UNESCAPED_IN_JSON = /[\u007f-\u009f\u2028\u2029]/g;

/** Words of others without control characters; line breaks and tabs stay. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n").replaceAll(CONTROLS, "");
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, " ").trim();
}

/** JSON with the same value, and without a character that a terminal would obey. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    UNESCAPED_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
