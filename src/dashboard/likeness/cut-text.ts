import type { TextCut, TextRange } from "#platforms/contract.ts";

/** How many characters a feed shows in a line on a phone. Feeds measure pixels, so this number is only an estimate. */
const LINE_CHARACTERS = 45;

let segmenter: Intl.Segmenter | undefined;

/**
 * The position at which a platform's feed cuts a text; the text's length if the feed shows all of it. Never inside a
 * character, and not after white space.
 */
export function findCut(text: string, cut: TextCut | null): number {
  if (cut === null) {
    return text.length;
  }
  const { characters = Infinity, lines = Infinity } = cut;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let count = 0;
  let line = 1;
  let column = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    const isBreak = segment === "\n" || segment === "\r\n";
    column += 1;
    if (isBreak || column > LINE_CHARACTERS) {
      line += 1;
      column = isBreak ? 0 : 1;
    }
    count += 1;
    if (count > characters || line > lines) {
      return text.slice(index).trim() === "" ? text.length : text.slice(0, index).trimEnd().length;
    }
  }
  return text.length;
}

export interface TextPart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The parts of a text between two positions. A mark that crosses a border is divided. */
export function splitAtMarks(
  text: string,
  marks: readonly TextRange[],
  [from, until]: readonly [number, number],
): readonly TextPart[] {
  const parts: TextPart[] = [];
  let position = from;
  const add = (end: number, isMarked: boolean) => {
    if (end > position) {
      parts.push({ text: text.slice(position, end), isMarked });
      position = end;
    }
  };
  for (const { start, end } of marks) {
    add(Math.min(start, until), false);
    add(Math.min(end, until), true);
  }
  add(until, false);
  return parts;
}
