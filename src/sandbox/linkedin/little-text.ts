/*
 * The markup of a commentary as its document describes it. A reserved character that is not escaped and does not begin
 * valid markup cuts the text short without a word, which is exactly what a sandbox must show.
 */

const RESERVED = new Set("|{}@[]()<>#*_~");
const MARKUP =
  /^(?:\{hashtag\|(?:\\#|#)\|(?<tag>[^}]+)\}|@\[(?<name>[^\]]+)\]\(urn:li:(?:person|organization):[^)]+\)|(?<bare>#[\p{L}\p{N}]+))/u;

/** What readers see; with `cut` false the text behind a stray reserved character is kept, for counting. */
export function readLittleText(source: string, cut: boolean): string {
  let shown = "";
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\") {
      shown += source.charAt(at + 1);
      at += 2;
      continue;
    }
    if (!RESERVED.has(character)) {
      shown += character;
      at += 1;
      continue;
    }
    const markup = MARKUP.exec(source.slice(at));
    if (markup) {
      const { tag, name, bare } = markup.groups ?? {};
      shown += tag === undefined ? (name ?? bare ?? "") : `#${tag.replaceAll(/\\(.)/g, "$1")}`;
      at += markup[0].length;
      continue;
    }
    if (cut) {
      return shown;
    }
    shown += character;
    at += 1;
  }
  return shown;
}
