import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { Annotations, MediaItem } from "#posts/index.ts";

/* Builds the content of drafts that pages save: the members of a preview's body, named as in the API. Null removes a
   member. */

/** A media item in the form that the API accepts. */
export function mediaMember(item: Pick<MediaItem, "url" | "type" | "altText" | "cover">): JsonObject {
  const { url, type, altText, cover } = item;
  return {
    url,
    type,
    ...(altText !== undefined && { alt_text: altText }),
    ...(cover && { cover: cover.image ? { url: cover.image.url } : { at_ms: cover.atMs ?? 0 } }),
  };
}

export function annotationMembers({ externalId, labels, metadata, notes }: Annotations): JsonObject {
  return {
    external_id: externalId,
    labels: orNull(labels),
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    notes,
  };
}

export function orNull(list: readonly JsonValue[]): JsonValue {
  return list.length > 0 ? list : null;
}

/** The objects in a list of a draft. Other values are left out, because a draft may contain anything. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
