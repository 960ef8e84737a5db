import twitter from "twitter-text";

export interface Measured {
  readonly weight: number;
  readonly urls: readonly string[];
  readonly cashtags: readonly string[];
  readonly invalidCharacters: boolean;
}

/** Past this no text can be short enough, so its addresses need not be found. */
const COUNTED_UNITS = 40_000;
/** The library looks for domains in quadratic time per word: a text of one endless word is looked at in pieces. */
const PIECE = /[^]{1,2048}(?=\s|$)|[^]{1,2048}/gu;

/** Weighs a text the way X does (twitter-text, configuration 3). */
export function measure(text: string): Measured {
  const normal = text.normalize("NFC");
  if (normal.length > COUNTED_UNITS) {
    return {
      weight: [...normal].length,
      urls: [],
      cashtags: [],
      invalidCharacters: twitter.hasInvalidCharacters(normal),
    };
  }
  const pieces = normal.length <= 2048 ? [normal] : (normal.match(PIECE) ?? []);
  return {
    weight: pieces.reduce((sum, piece) => sum + twitter.parseTweet(piece).weightedLength, 0),
    urls: pieces.flatMap((piece) => twitter.extractUrlsWithIndices(piece).map((entity) => entity.url)),
    cashtags: pieces.flatMap((piece) => twitter.extractCashtags(piece)),
    invalidCharacters: twitter.hasInvalidCharacters(normal),
  };
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * What stays equal between a text as we sent it and as X gives it back: X adds a scheme to bare domains and turns every
 * address into its own short form, which the reader of the answer has undone before.
 */
export function fingerprint(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/\bhttps?:\/\//g, "")
    .replace(/\/(?=\s|$)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The same without any address: equal ones are alike, not the same. */
export function likeness(text: string): string {
  let rest = text;
  for (const url of measure(text).urls) {
    rest = rest.replace(url, " ");
  }
  return fingerprint(rest);
}
