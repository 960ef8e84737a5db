import type { JsonObject } from "#core/json.ts";
import twitter from "twitter-text";

/* How X counts a text and returns it: links are shortened, three characters escaped. */

const FORBIDDEN = /[\uFFFE\uFEFF\uFFFF]/;
const TRUNCATED_LENGTH = 274;

export interface Link {
  readonly url: string;
  readonly expandedUrl: string;
  /** UTF-16 offsets in the text as sent. */
  readonly from: number;
  readonly to: number;
}

export const weightedLength = (text: string): number => twitter.parseTweet(text).weightedLength;
export const hasOnlyAllowedCharacters = (text: string): boolean => !FORBIDDEN.test(text) && text.isWellFormed();
export const countCashtags = (text: string): number =>
  new Set(twitter.extractCashtags(text).map((tag) => tag.toUpperCase())).size;

/** The links of a text, each with its own short URL. */
export function shortenLinks(text: string, shortId: () => string): Link[] {
  return twitter.extractUrlsWithIndices(text).map(({ url, indices: [from, to] }) => ({
    url: `https://t.co/${shortId()}`,
    expandedUrl: /^https?:\/\//i.test(url) ? url : `http://${url}`,
    from,
    to,
  }));
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const countCodePoints = (text: string): number => Array.from(text).length;

export interface RenderedText {
  readonly text: string;
  readonly urls: readonly JsonObject[];
}

/** The text as reads return it; `trailing` is the link to attached media. */
export function renderText(text: string, links: readonly Link[], trailing: Link | null): RenderedText {
  const urls: JsonObject[] = [];
  let rendered = "";
  let offset = 0;
  const appendLink = (link: Link, expanded: string): void => {
    const start = countCodePoints(rendered);
    rendered += link.url;
    const display = expanded.replace(/^https?:\/\/(?:www\.)?/, "");
    urls.push({ start, end: countCodePoints(rendered), url: link.url, expanded_url: expanded, display_url: display });
  };
  for (const link of links) {
    rendered += escapeHtml(text.slice(offset, link.from));
    appendLink(link, link.expandedUrl);
    offset = link.to;
  }
  rendered += escapeHtml(text.slice(offset));
  if (trailing) {
    rendered += rendered === "" ? "" : " ";
    appendLink(trailing, trailing.expandedUrl);
  }
  return { text: rendered, urls };
}

/** The `text` of a long post; the full text is in its note. */
export function truncateText(text: string): string {
  return `${Array.from(text).slice(0, TRUNCATED_LENGTH).join("")}…`;
}
