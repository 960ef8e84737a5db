import twitter from "twitter-text";
import { comparableText } from "#platforms/comparable-text.ts";

let segmenter: Intl.Segmenter | undefined;

function countCharacters(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let count = 0;
  for (const _ of segmenter.segment(text)) {
    count += 1;
  }
  return count;
}

const WORD = /\S+/gu;
const LINK_START = /https?:\/\//i;
/** The longest word in UTF-16 units. The library takes quadratic time for a word, and servers accept no longer ones. */
const MAX_WORD_UNITS = 2048;
/** Matches a mention of an account on another server, but not a part of a word or of a URL. */
const MENTION =
  /(?<![\p{L}\p{N}\p{M}_=/])@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)@([\p{L}\p{N}\p{M}_]+(?:[.-]+[\p{L}\p{N}\p{M}_]+)*)/giu;
const MAX_DOMAIN_UNITS = 253;

/** Shortens a text to what Mastodon counts. All links have the same length, and a mention counts without its server. */
function countableText(text: string, urlCharacters: number): string {
  const withoutLinks = text.replace(WORD, (word) => shortenLinks(word, urlCharacters));
  return withoutLinks.replace(MENTION, (mention: string, user: string, domain: string) =>
    domain.length > MAX_DOMAIN_UNITS ? mention : `@${user}`,
  );
}

function shortenLinks(word: string, urlCharacters: number): string {
  if (word.length > MAX_WORD_UNITS || !LINK_START.test(word)) {
    return word;
  }
  let shortened = "";
  let end = 0;
  for (const { indices } of twitter.extractUrlsWithIndices(word, { extractUrlsWithoutProtocol: false })) {
    shortened += word.slice(end, indices[0]) + "-".repeat(urlCharacters);
    end = indices[1];
  }
  return shortened + word.slice(end);
}

/**
 * The length as Mastodon counts it: the content warning and the text together. Links and mentions are shortened only in
 * the text.
 */
export function textLength(text: string, spoilerText: string, urlCharacters: number): number {
  return countCharacters(spoilerText + countableText(text, urlCharacters));
}

/** The length as other programs with this API count it: in code points, without shortening anything. */
export function rawLength(text: string, spoilerText: string): number {
  return [...spoilerText, ...text].length;
}

const ANY_MENTION = /@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)(?:@[\p{L}\p{N}\p{M}_]+(?:[.-]+[\p{L}\p{N}\p{M}_]+)*)?/giu;

/** Normalizes a text, so that the sent text equals the listed source. The server trims texts and rewrites mentions. */
export function comparableStatusText(text: string): string {
  return comparableText(text.replace(ANY_MENTION, (_, user: string) => `@${user.toLowerCase()}`));
}
