import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { LinkCard, TextCut, TextRange } from "./contract.ts";

const LINK = /\bhttps?:\/\/[^\s<>"']+/giu;
const MENTION = /(?<![\p{L}\p{N}\p{M}_@./])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,98}[\p{L}\p{N}_])?/gu;
const HASHTAG = /(?<![\p{L}\p{N}\p{M}_&/])#(?=[\p{N}\p{M}_]{0,98}\p{L})[\p{L}\p{N}\p{M}_]{1,99}/gu;
const TRAILING_PUNCTUATION = /[.,;:!?)\]…]+$/u;

/** The patterns of what a platform turns into links in posts. */
interface MarkedParts {
  readonly links?: boolean;
  readonly mentions?: boolean;
  readonly hashtags?: boolean;
}

/** Finds the links, mentions and hashtags of a text. If two overlap, the earlier one counts. */
export function findMarks(text: string, { links, mentions, hashtags }: MarkedParts): readonly TextRange[] {
  return withoutOverlaps([
    ...(links ? rangesOf(text, LINK) : []),
    ...(mentions ? rangesOf(text, MENTION) : []),
    ...(hashtags ? rangesOf(text, HASHTAG) : []),
  ]);
}

/** Sorts ranges by position and drops those that begin inside another one. */
export function withoutOverlaps(ranges: readonly TextRange[]): readonly TextRange[] {
  let end = 0;
  return ranges
    .toSorted((a, b) => a.start - b.start)
    .filter((range) => {
      const isFree = range.start >= end;
      end = isFree ? range.end : end;
      return isFree;
    });
}

function rangesOf(text: string, pattern: RegExp): readonly TextRange[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].replace(TRAILING_PUNCTUATION, "").length,
  }));
}

/** The text of an option. Empty if it is missing or has another type. */
export function textOption(options: JsonObject, name: string): string {
  const value = options[name];
  return typeof value === "string" ? value : "";
}

/** The card of a link; null without a link. Without fields, the platform takes them from the page when it publishes the post. */
export function linkCard(url: string | null | undefined, fields?: Omit<LinkCard, "host">): LinkCard | null {
  const host = URL.parse(url ?? "")?.hostname;
  return host ? { host, ...(fields ?? { title: null, description: null }) } : null;
}

/** The card that an option describes: an object with `title`, `description` and, under `urlMember`, the address. */
export function cardOfOption(option: JsonValue | undefined, urlMember: string): LinkCard | null {
  const fields = isJsonObject(option) ? option : {};
  return linkCard(textOption(fields, urlMember), {
    title: textOption(fields, "title"),
    description: textOption(fields, "description") || null,
  });
}

/** The first URL of a text that names its scheme. */
export function firstLink(text: string): string | null {
  const [range] = findMarks(text, { links: true });
  return range ? text.slice(range.start, range.end) : null;
}

/** A headline, shortened as the platform does it. */
export function shorten(text: string, { characters = Infinity }: Pick<TextCut, "characters">): string | null {
  const points = [...text];
  return text === "" ? null : points.length > characters ? `${points.slice(0, characters).join("").trimEnd()}…` : text;
}

/** For feeds that show media of every ratio uncut. */
export const ANY_RATIO = { min: 0, max: Infinity } as const;
/**
 * How much of a reel is covered: Meta names 14 % at the top, 35 % at the bottom and 6 % at the sides for ads (business
 * help 980593475366490, as adsuploader.com/blog/meta-ads-safe-zones quotes it).
 */
export const REEL_COVERED = { top: 14, right: 6, bottom: 35, left: 6 } as const;
/** The ratio of a feed that fills the screen of a phone. */
export const FULL_SCREEN_RATIO = { min: 9 / 16, max: 9 / 16 } as const;
