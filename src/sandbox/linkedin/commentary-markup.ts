/*
 * LinkedIn's "little text format", the markup of a post's commentary. At the first reserved character that is neither escaped nor valid
 * markup, the real API silently drops the rest of the text, and so does the sandbox.
 */

const RESERVED = new Set("|{}@[]()<>#*_~");
const MARKUP =
  /^(?:\{hashtag\|(?:\\#|#)\|(?<tag>[^}]+)\}|@\[(?<name>(?:\\.|[^\\\]])+)\]\(urn:li:(?:person|organization):[^)]+\)|(?<bare>#[\p{L}\p{N}]+))/u;

/**
 * The people and organizations that a commentary mentions: "MentionElement" in
 * https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format.
 */
export function mentionedEntities(source: string): readonly string[] {
  const unescaped = source.replaceAll(/\\./g, "\\");
  return Array.from(
    unescaped.matchAll(/@\[[^\]]+\]\((?<urn>urn:li:(?:person|organization):[^)]+)\)/g),
    ({ groups }) => groups?.["urn"] ?? "",
  );
}

/**
 * The text that readers see. With `stopAtReserved` it ends at the first invalid reserved character; the length limit
 * counts the text without that loss.
 */
export function renderCommentary(source: string, stopAtReserved: boolean): string {
  let visibleText = "";
  let position = 0;
  while (position < source.length) {
    const character = source.charAt(position);
    if (character === "\\") {
      visibleText += source.charAt(position + 1);
      position += 2;
      continue;
    }
    if (!RESERVED.has(character)) {
      visibleText += character;
      position += 1;
      continue;
    }
    const markup = MARKUP.exec(source.slice(position));
    if (markup) {
      const { tag, name, bare } = markup.groups ?? {};
      visibleText += (tag === undefined ? (name ?? bare ?? "") : `#${tag}`).replaceAll(/\\(.)/g, "$1");
      position += markup[0].length;
      continue;
    }
    if (stopAtReserved) {
      return visibleText;
    }
    visibleText += character;
    position += 1;
  }
  return visibleText;
}
