import twitter from "twitter-text";

export interface MeasuredText {
  readonly weight: number;
  readonly urls: readonly string[];
  readonly cashtags: readonly string[];
  readonly invalidCharacters: boolean;
}

/** A text longer than this exceeds every limit, so its URLs are not parsed. */
const MAX_PARSED_UNITS = 40_000;
/**
 * Matches the parts in which a text is parsed. The library takes quadratic time to find domains in a word, so a very
 * long word is divided.
 */
const TEXT_PART = /[^]{1,2048}(?=\s|$)|[^]{1,2048}/gu;

/** Computes the weighted length as X does (twitter-text, configuration 3). */
export function measureText(text: string): MeasuredText {
  const normal = text.normalize("NFC");
  if (normal.length > MAX_PARSED_UNITS) {
    return {
      weight: [...normal].length,
      urls: [],
      cashtags: [],
      invalidCharacters: twitter.hasInvalidCharacters(normal),
    };
  }
  const parts = normal.length <= 2048 ? [normal] : (normal.match(TEXT_PART) ?? []);
  return {
    weight: parts.reduce((sum, part) => sum + twitter.parseTweet(part).weightedLength, 0),
    urls: parts.flatMap((part) => twitter.extractUrlsWithIndices(part).map((entity) => entity.url)),
    cashtags: parts.flatMap((part) => twitter.extractCashtags(part)),
    invalidCharacters: twitter.hasInvalidCharacters(normal),
  };
}

const HTML_ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => HTML_ENTITIES[entity] ?? entity);
}

/**
 * Normalizes a sent text, so that it equals the text that X returns: X adds a scheme to bare domains. Short URLs of X
 * must be replaced by the original ones before.
 */
export function normalizeText(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/\bhttps?:\/\//g, "")
    .replace(/\/(?=\s|$)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The normalized text without URLs. Equal results mean similar texts, not equal ones. */
export function normalizeTextWithoutUrls(text: string): string {
  let remaining = text;
  for (const url of measureText(text).urls) {
    remaining = remaining.replace(url, " ");
  }
  return normalizeText(remaining);
}
