import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { isLenient } from "./leniency.ts";
import { array, blob, type Check, integer, object, string, toText, union } from "./lexicon.ts";

/* The record of a post (section 3.3, rules 17 to 20; lx app/bsky/feed/post.json). */

export const POST_COLLECTION = "app.bsky.feed.post";

const MAX_THUMB_BYTES = 1_000_000;
const MAX_CAPTION_BYTES = 20_000;
const MAX_CAPTIONS = 20;
/** The limits since April and August 2026, and the earlier ones (setting `old_limits`). */
const LIMITS = {
  current: { image: 2_000_000, video: 300_000_000 },
  old: { image: 1_000_000, video: 100_000_000 },
} as const;

const aspectRatio = object("app.bsky.embed.defs#aspectRatio", { width: integer(1), height: integer(1) });
const hashtag = string({ maxGraphemes: 64, maxBytes: 640 });

const facet = object("app.bsky.richtext.facet", {
  index: object("app.bsky.richtext.facet#byteSlice", { byteStart: integer(0), byteEnd: integer(0) }),
  features: array(
    union({
      "app.bsky.richtext.facet#link": object("app.bsky.richtext.facet#link", { uri: string({ format: "uri" }) }),
      "app.bsky.richtext.facet#mention": object("app.bsky.richtext.facet#mention", { did: string({ format: "did" }) }),
      "app.bsky.richtext.facet#tag": object("app.bsky.richtext.facet#tag", { tag: hashtag }),
    }),
    { min: 1 },
  ),
});

const strongRef = object("com.atproto.repo.strongRef", {
  uri: string({ format: "at-uri" }),
  cid: string({ format: "cid" }),
});

function embedCheck(limits: { readonly image: number; readonly video: number }): Check {
  const image = object(
    "app.bsky.embed.images#image",
    { image: blob("image/*", limits.image), alt: string() },
    { aspectRatio },
  );
  const caption = object("app.bsky.embed.video#caption", {
    lang: string({ format: "language" }),
    file: blob("text/vtt", MAX_CAPTION_BYTES),
  });
  const external = object(
    "app.bsky.embed.external#external",
    { uri: string({ format: "uri" }), title: string(), description: string() },
    { thumb: blob("image/*", MAX_THUMB_BYTES) },
  );
  return union({
    "app.bsky.embed.images": object("app.bsky.embed.images", { images: array(image, { min: 1, max: 4 }) }),
    "app.bsky.embed.video": object(
      "app.bsky.embed.video",
      { video: blob("video/mp4", limits.video) },
      { alt: string(), aspectRatio, captions: array(caption, { max: MAX_CAPTIONS }) },
    ),
    "app.bsky.embed.external": object("app.bsky.embed.external", { external }),
  });
}

const postCheck = (limits: { readonly image: number; readonly video: number }): Check =>
  object(
    POST_COLLECTION,
    { text: string({ maxGraphemes: 300, maxBytes: 3000 }), createdAt: string({ format: "datetime" }) },
    {
      facets: array(facet),
      langs: array(string({ format: "language" }), { max: 3 }),
      tags: array(hashtag, { max: 8 }),
      embed: embedCheck(limits),
      reply: object(`${POST_COLLECTION}#replyRef`, { root: strongRef, parent: strongRef }),
    },
  );

const CHECKS = { current: postCheck(LIMITS.current), old: postCheck(LIMITS.old) };

interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number };
  readonly features: readonly JsonObject[];
}

/**
 * Refuses facets that a real PDS stores but apps ignore (B post-richtext.md). This is stricter than reality (rule 19).
 */
function findFacetProblem(text: string, facets: readonly Facet[]): string | null {
  const bytes = new TextEncoder().encode(text);
  // A position inside a character is none of its boundaries: continuation bytes of UTF-8 have the form 10xxxxxx.
  const isBoundary = (offset: number): boolean => offset === bytes.length || ((bytes[offset] ?? 0) & 0xc0) !== 0x80;
  const slices = facets.map(({ index }, at) => ({ ...index, path: `$.record.facets[${at}].index` }));
  const invalid = slices.find(({ byteStart, byteEnd }) => byteStart >= byteEnd || byteEnd > bytes.length);
  if (invalid) {
    return `Invalid byte slice at ${invalid.path}`;
  }
  const split = slices.find(({ byteStart, byteEnd }) => !isBoundary(byteStart) || !isBoundary(byteEnd));
  if (split) {
    return `Byte slice inside a UTF-8 sequence at ${split.path}`;
  }
  const sorted = slices.toSorted((a, b) => a.byteStart - b.byteStart);
  const overlapping = sorted.find(({ byteStart }, at) => byteStart < (sorted[at - 1]?.byteEnd ?? 0));
  return overlapping ? `Overlapping byte slice at ${overlapping.path}` : null;
}

/** The problem with a record; null if it is valid. */
export function findRecordProblem(sim: SimulatorContext, record: JsonValue): string | null {
  const check = CHECKS[sim.settings.extra["old_limits"] === true ? "old" : "current"];
  const problem = check(record, "$.record", { allowUnknown: isLenient(sim, "unknown_fields") });
  if (problem !== null || !isJsonObject(record)) {
    return problem;
  }
  const text = toText(record["text"]);
  if (text === "" && record["embed"] === undefined && !isLenient(sim, "empty_text")) {
    return "text without embed must not be empty at $.record.text";
  }
  return isLenient(sim, "facets") ? null : findFacetProblem(text, facetsOf(record));
}

const facetsOf = (record: JsonObject): readonly Facet[] => (record["facets"] as readonly Facet[] | undefined) ?? [];

export interface BlobReference {
  readonly cid: string;
  readonly mimeType: string;
  readonly size: number;
}

/** Every blob in a record, at any depth. */
export function blobsIn(value: JsonValue | undefined): readonly BlobReference[] {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap(blobsIn);
  }
  if (!isJsonObject(value)) {
    return [];
  }
  if (value["$type"] !== "blob") {
    return Object.values(value).flatMap(blobsIn);
  }
  const { ref, mimeType, size } = value;
  return [{ cid: isJsonObject(ref) ? toText(ref["$link"]) : "", mimeType: toText(mimeType), size: Number(size) }];
}

interface StrongRef {
  readonly uri: string;
  readonly cid: string;
}

const refOf = (value: JsonValue | undefined): StrongRef =>
  isJsonObject(value) ? { uri: toText(value["uri"]), cid: toText(value["cid"]) } : { uri: "", cid: "" };

/** The posts that a record answers; null if it answers none. A record that was not checked may name anything. */
export function replyOf(record: JsonObject): { readonly root: StrongRef; readonly parent: StrongRef } | null {
  const { reply } = record;
  return isJsonObject(reply) ? { root: refOf(reply["root"]), parent: refOf(reply["parent"]) } : null;
}
