import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { Annotations, MediaItem } from "#posts/index.ts";

/* What the pages put into a draft: members of a preview's body, as the API names them. Null removes a member. */

/** A file as the API takes it. */
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

/** The members of objects in a list of a draft; what is something else is left out. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
