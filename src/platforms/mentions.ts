import type { Adapter, TextRange } from "./contract.ts";

/**
 * The source of a pattern for `@[name](urn)`, with name and URN as groups. The name has no brackets and no line break.
 */
export const mentionOf = (urn: string) => String.raw`@\[([^[\]\n]{1,100})\]\((${urn})\)`;

const MENTION = new RegExp(mentionOf("urn:[a-z]{2,10}:[A-Za-z]{2,20}:[A-Za-z0-9_-]{1,60}"), "g");

/** Replaces the mentions of a caption by their names. Returns the text and where the names are. */
export function namesOfMentions(caption: string): { readonly text: string; readonly names: readonly TextRange[] } {
  const names: TextRange[] = [];
  let removed = 0;
  const text = caption.replace(MENTION, (notation: string, name: string, _urn: string, at: number) => {
    const start = at - removed;
    names.push({ start, end: start + name.length });
    removed += notation.length - name.length;
    return name;
  });
  return { text, names };
}

/** The caption that a platform gets. If it has no mentions by URN, they are replaced by their names. */
export function captionFor(adapter: Pick<Adapter, "takesMentions"> | undefined, caption: string): string {
  return adapter?.takesMentions ? caption : namesOfMentions(caption).text;
}
