import { FIT_REASONS } from "#core/fit.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import type { MediaItemInput, MediaList } from "#media/index.ts";

/* The media of a thread's parts are in its options, so that a PostPlan, an edit and a copy contain them. The service
   finds or imports media that a request names, and stores their ids and hashes in the options. */

const TYPES = ["image", "video"] as const;

/** The media that options name for each part after the first. Empty for a list that is not valid media. */
function namedMedia({ thread }: JsonObject): readonly (readonly (JsonObject & { readonly url: string })[])[] {
  return (Array.isArray(thread) ? thread : []).map((part) => {
    const items = isJsonObject(part) ? part["media_items"] : undefined;
    return Array.isArray(items) && items.every(isMediaItem) ? items : [];
  });
}

function isMediaItem(item: JsonValue): item is JsonObject & { readonly url: string } {
  return (
    isJsonObject(item) &&
    typeof item["url"] === "string" &&
    (item["type"] === undefined || TYPES.some((type) => type === item["type"])) &&
    ["string", "undefined"].includes(typeof (item["alt_text"] ?? undefined))
  );
}

function altTextOf({ alt_text: text }: JsonObject): { readonly altText?: string } {
  return typeof text === "string" && text !== "" ? { altText: text } : {};
}

function typeOf({ type }: JsonObject): StoredMediaItem["type"] | null {
  return TYPES.find((one) => one === type) ?? null;
}

/** The request members that name media of thread parts. `at` is the path of the options. */
export function threadMediaLists(at: string, options: JsonObject | undefined): readonly MediaList[] {
  return namedMedia(options ?? {}).flatMap((items, index) =>
    items.length === 0
      ? []
      : [
          {
            at: threadPlace(at, index),
            input: {
              mediaItems: items.map((item): MediaItemInput => ({
                url: item.url,
                type: typeOf(item),
                ...altTextOf(item),
              })),
            },
          },
        ],
  );
}

export function threadPlace(at: string, index: number): string {
  return `${at}.thread[${index}]`;
}

/** The media of each part after the first, from stored options. Empty if no part has media. */
export function storedThreadMedia(options: JsonObject): readonly (readonly StoredMediaItem[])[] {
  const media = namedMedia(options).map((items) => items.map(toStoredItem));
  return media.some((items) => items.length > 0) ? media : [];
}

/** The media item that the part publishes: the copy, if one was made to fit. */
function toStoredItem(item: JsonObject & { readonly url: string }): StoredMediaItem {
  const source = toFile(item);
  const { fitted } = item;
  if (!isJsonObject(fitted) || typeof fitted["url"] !== "string") {
    return source;
  }
  const reason = FIT_REASONS.find((one) => one === fitted["reason"]) ?? "format";
  return { ...toFile({ ...item, ...fitted, url: fitted["url"] }), fitted: { from: source.id, reason, source } };
}

function toFile(item: JsonObject & { readonly url: string }): StoredMediaItem {
  const text = (name: string) => (typeof item[name] === "string" ? item[name] : "");
  const number = (name: string) => (typeof item[name] === "number" ? item[name] : null);
  return {
    id: text("id"),
    type: typeOf(item) ?? "image",
    url: item.url,
    contentType: text("content_type"),
    sizeBytes: number("size_bytes") ?? 0,
    width: number("width"),
    height: number("height"),
    durationSeconds: number("duration_seconds"),
    sha256: text("sha256"),
    ...altTextOf(item),
  };
}

/** Puts media into the parts of a thread's options. */
export function withThreadMedia(
  options: JsonObject,
  media: readonly (readonly StoredMediaItem[] | undefined)[],
): JsonObject {
  return media.some((items) => items !== undefined)
    ? withPartsOf(options, (index) => media[index]?.map(toJson))
    : options;
}

function withPartsOf(options: JsonObject, mediaOf: (index: number) => readonly JsonObject[] | undefined): JsonObject {
  const { thread } = options;
  return Array.isArray(thread)
    ? {
        ...options,
        thread: thread.map((part, index) => {
          const items = mediaOf(index);
          return items !== undefined && isJsonObject(part) ? { ...part, media_items: items } : part;
        }),
      }
    : options;
}

/** Writes a part's media item for the options: the requested file, with the copy that is published instead. */
function toJson(item: StoredMediaItem): JsonObject {
  const { fitted } = item;
  const { type: _type, alt_text: _text, duration_seconds: _duration, ...copy } = fileMembers(item);
  return fitted?.source
    ? { ...fileMembers(fitted.source), fitted: { ...copy, reason: fitted.reason } }
    : fileMembers(item);
}

function fileMembers(item: StoredMediaItem): JsonObject {
  return {
    url: item.url,
    type: item.type,
    id: item.id,
    content_type: item.contentType,
    size_bytes: item.sizeBytes,
    width: item.width,
    height: item.height,
    duration_seconds: item.durationSeconds,
    sha256: item.sha256,
    ...(item.altText !== undefined && { alt_text: item.altText }),
  };
}
