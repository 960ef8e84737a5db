import type { JsonObject } from "#core/json.ts";
import twitter from "twitter-text";

/* How the platform counts a text and how it gives it back: links shortened, three characters escaped. */

const FORBIDDEN = /[\uFFFE\uFEFF\uFFFF]/;
const SHOWN_MAX = 274;

export interface Link {
  readonly url: string;
  readonly expandedUrl: string;
  /** UTF-16 offsets in the text as it was sent. */
  readonly from: number;
  readonly to: number;
}

export const weightOf = (text: string): number => twitter.parseTweet(text).weightedLength;
export const isAllowed = (text: string): boolean => !FORBIDDEN.test(text) && text.isWellFormed();
export const cashtagsIn = (text: string): number =>
  new Set(twitter.extractCashtags(text).map((tag) => tag.toUpperCase())).size;

/** The links of a text, each with a short address of its own. */
export function shorten(text: string, shortId: () => string): Link[] {
  return twitter.extractUrlsWithIndices(text).map(({ url, indices: [from, to] }) => ({
    url: `https://t.co/${shortId()}`,
    expandedUrl: /^https?:\/\//i.test(url) ? url : `http://${url}`,
    from,
    to,
  }));
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const pointsIn = (text: string): number => Array.from(text).length;

export interface Shown {
  readonly text: string;
  readonly urls: readonly JsonObject[];
}

/** The text as reads give it; `trailing` is the link that stands for attached media. */
export function show(text: string, links: readonly Link[], trailing: Link | null): Shown {
  const urls: JsonObject[] = [];
  let shown = "";
  let at = 0;
  const place = (link: Link, expanded: string): void => {
    const start = pointsIn(shown);
    shown += link.url;
    const display = expanded.replace(/^https?:\/\/(?:www\.)?/, "");
    urls.push({ start, end: pointsIn(shown), url: link.url, expanded_url: expanded, display_url: display });
  };
  for (const link of links) {
    shown += escaped(text.slice(at, link.from));
    place(link, link.expandedUrl);
    at = link.to;
  }
  shown += escaped(text.slice(at));
  if (trailing) {
    shown += shown === "" ? "" : " ";
    place(trailing, trailing.expandedUrl);
  }
  return { text: shown, urls };
}

/** What stands in `text` of a long post; the whole is in its note. */
export function cut(text: string): string {
  return `${Array.from(text).slice(0, SHOWN_MAX).join("")}…`;
}
