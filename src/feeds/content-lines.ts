import { toPlainText } from "#core/text.ts";

/* Writes the part of RFC 5545's syntax that a calendar feed needs. docs/decisions/own-calendar-writer.md says why no
   library does it. */

const MAX_OCTETS = 75;
const MAX_OCTETS_OF_CHARACTER = 3;

function octetsOf(codePoint: number): number {
  return codePoint < 0x80 ? 1 : codePoint < 0x8_00 ? 2 : codePoint < 0x1_00_00 ? 3 : 4;
}

/** Splits a content line into lines of at most 75 octets, never inside a character (RFC 5545, 3.1). */
function fold(line: string): string {
  // A UTF-16 unit has at most three octets, so most lines are short enough without counting.
  if (line.length * MAX_OCTETS_OF_CHARACTER <= MAX_OCTETS) {
    return line;
  }
  let folded = "";
  let start = 0;
  let octets = 0;
  for (let index = 0; index < line.length;) {
    const codePoint = line.codePointAt(index) ?? 0;
    octets += octetsOf(codePoint);
    if (octets > MAX_OCTETS) {
      folded += `${line.slice(start, index)}\r\n `;
      start = index;
      // The space with which a continued line begins counts as an octet.
      octets = 1 + octetsOf(codePoint);
    }
    index += codePoint > 0xff_ff ? 2 : 1;
  }
  return folded + line.slice(start);
}

/** Writes a property of a calendar without escaping its value. */
export function contentLine(name: string, value: string): string {
  return `${fold(`${name}:${value}`)}\r\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n" };

/**
 * Writes a property with an untrusted text. Control characters are removed, except tabs and line breaks, because a
 * calendar cannot contain them.
 */
export function textLine(name: string, text: string): string {
  return contentLine(
    name,
    toPlainText(text).replaceAll(/[\\;,\n]/g, (character) => ESCAPES[character] ?? ""),
  );
}

/** Writes a property with an instant, in UTC: `20261201T090000Z`. */
export function instantLine(name: string, instant: number): string {
  return contentLine(name, `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`);
}
