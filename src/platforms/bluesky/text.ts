import type { JsonObject } from "#core/json.ts";

/** A part of the text that becomes a link, in UTF-16 positions. */
type TextLink = { readonly start: number; readonly end: number } & (
  | { readonly kind: "link"; readonly uri: string }
  | { readonly kind: "mention"; readonly handle: string }
  | { readonly kind: "tag"; readonly tag: string }
);

const encoder = new TextEncoder();
let segmenter: Intl.Segmenter | undefined;

/** The length of a text in extended grapheme clusters, as the protocol counts it. */
export function countGraphemes(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let count = 0;
  for (const _segment of segmenter.segment(text)) {
    count++;
  }
  return count;
}

export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

const URL_PATTERN = /(?<=^|[\s(])https?:\/\/\S+/giu;
/**
 * Matches URLs without `https://`. Only names under these top-level domains become links, so that `README.md` and
 * `e.g.this` do not.
 */
const BARE_URL_PATTERN =
  /(?<=^|[\s(])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,10}(?:com|org|net|edu|gov|info|io|dev|app|social|blog|news|eu|de|fr|uk|nl|es|pl|ch|jp|br|ca|au|us)(?![\w-]|\.\w)(?:[/?#]\S*)?/giu;
const MENTION_PATTERN = /(?<=^|[\s(])@([a-zA-Z0-9.-]+)/gu;
/** Matches hashtags. Invisible characters end a tag, and the keycap emoji of `#` is none. */
const TAG_PATTERN = /(?<=^|\s)[#＃](?!\ufe0f)((?:(?![\u00ad\u2060\u200a-\u200d]|\u20e2)\S)+)/gu;
const TRAILING_PUNCTUATION = /\p{P}+$/u;
const TAG_CONTENT = /[^\d\p{P}]/u;
const MAX_TAG_GRAPHEMES = 64;
const MAX_TAG_BYTES = 640;

/** Finds links, mentions and hashtags in the order of the text. If two overlap, the earlier one counts. */
export function findTextLinks(text: string): readonly TextLink[] {
  const found = [...findUrls(text), ...findMentions(text), ...findTags(text)].sort((a, b) => a.start - b.start);
  let end = 0;
  return found.filter((link) => {
    const isFree = link.start >= end;
    end = isFree ? link.end : end;
    return isFree;
  });
}

function findUrls(text: string): readonly TextLink[] {
  return [
    ...[...text.matchAll(URL_PATTERN)].map((match) => ({ match, prefix: "" })),
    ...[...text.matchAll(BARE_URL_PATTERN)].map((match) => ({ match, prefix: "https://" })),
  ].flatMap(({ match, prefix }): TextLink[] => {
    const shown = trimUrl(match[0]);
    const uri = `${prefix}${shown}`;
    const url = URL.parse(uri);
    return url && url.hostname.includes(".")
      ? [{ kind: "link", start: match.index, end: match.index + shown.length, uri }]
      : [];
  });
}

/** Removes the sentence's punctuation after a URL, and a `)` whose `(` is before the URL. */
function trimUrl(match: string): string {
  let url = match;
  for (;;) {
    const isUnmatched = url.endsWith(")") && url.split(")").length > url.split("(").length;
    if (!isUnmatched && !/[.,;:!?]$/.test(url)) {
      return url;
    }
    url = url.slice(0, -1);
  }
}

function findMentions(text: string): readonly TextLink[] {
  return [...text.matchAll(MENTION_PATTERN)].flatMap((match): TextLink[] => {
    const name = (match[1] ?? "").replace(/[.-]+$/, "");
    const handle = name.toLowerCase();
    return isHandle(handle)
      ? [{ kind: "mention", start: match.index, end: match.index + 1 + name.length, handle }]
      : [];
  });
}

function findTags(text: string): readonly TextLink[] {
  return [...text.matchAll(TAG_PATTERN)].flatMap((match): TextLink[] => {
    const tag = (match[1] ?? "").replace(TRAILING_PUNCTUATION, "");
    const isTag = TAG_CONTENT.test(tag) && countGraphemes(tag) <= MAX_TAG_GRAPHEMES && utf8Length(tag) <= MAX_TAG_BYTES;
    return isTag ? [{ kind: "tag", start: match.index, end: match.index + 1 + tag.length, tag }] : [];
  });
}

/** Builds the facets of a record, with UTF-8 offsets. A mention of an unknown handle stays plain text. */
export function toFacets(
  text: string,
  links: readonly TextLink[],
  dids: ReadonlyMap<string, string>,
): readonly JsonObject[] {
  return links.flatMap((link) => {
    const feature = toFeature(link, dids);
    const byteStart = utf8Length(text.slice(0, link.start));
    const byteEnd = byteStart + utf8Length(text.slice(link.start, link.end));
    return feature ? [{ index: { byteStart, byteEnd }, features: [feature] }] : [];
  });
}

function toFeature(link: TextLink, dids: ReadonlyMap<string, string>): JsonObject | null {
  switch (link.kind) {
    case "link":
      return { $type: "app.bsky.richtext.facet#link", uri: link.uri };
    case "tag":
      return { $type: "app.bsky.richtext.facet#tag", tag: link.tag };
    case "mention": {
      const did = dids.get(link.handle);
      return did === undefined ? null : { $type: "app.bsky.richtext.facet#mention", did };
    }
  }
}

const HANDLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HANDLE_LENGTH = 253;
/**
 * Top-level domains that no handle may have (atproto.com/specs/handle). `.test` is missing, because it is for
 * development.
 */
const FORBIDDEN_TLD = /\.(?:alt|arpa|example|internal|invalid|local|localhost|onion)$/;

export function isHandle(text: string): boolean {
  return text.length <= MAX_HANDLE_LENGTH && HANDLE.test(text) && !FORBIDDEN_TLD.test(text);
}
