import { toIsoInstant } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { PublishedPost, SimulatorContext } from "#sandbox/contract.ts";
import { findBlob } from "./blobs.ts";
import { toText } from "./lexicon.ts";
import { type BlobReference, blobsIn, POST_COLLECTION, replyOf } from "./post-record.ts";

/* The published form of a record, which tests compare. */

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];

interface Shown {
  readonly kind: string;
  /** The media of the post. The thumbnail of a link card counts as an option. */
  readonly blobs: readonly BlobReference[];
  readonly options: JsonObject;
}

function describeEmbed(embed: JsonValue | undefined, hashOf: (blob: BlobReference) => string): Shown {
  const parts = isJsonObject(embed) ? embed : {};
  switch (parts["$type"]) {
    case "app.bsky.embed.images": {
      const images = objectsIn(parts["images"]);
      return {
        kind: images.length > 1 ? "carousel" : "image",
        blobs: images.flatMap(({ image }) => blobsIn(image)),
        options: {
          alt_texts: images.map(({ alt }) => alt ?? null),
          aspect_ratios: images.map(({ aspectRatio }) => aspectRatio ?? null),
        },
      };
    }
    case "app.bsky.embed.video": {
      const { alt, aspectRatio, captions } = parts;
      return {
        kind: "video",
        blobs: blobsIn(parts["video"]),
        options: {
          alt_texts: [alt ?? null],
          aspect_ratios: [aspectRatio ?? null],
          ...(captions !== undefined && {
            captions: objectsIn(captions).map(({ lang, file }) => ({
              lang: lang ?? null,
              sha256: blobsIn(file).map(hashOf)[0] ?? null,
            })),
          }),
        },
      };
    }
    case "app.bsky.embed.external": {
      const {
        uri = null,
        title = null,
        description = null,
        thumb,
      } = isJsonObject(parts["external"]) ? parts["external"] : {};
      const thumbSha256 = blobsIn(thumb).map(hashOf)[0];
      return {
        kind: "text",
        blobs: [],
        options: {
          external: { uri, title, description, ...(thumbSha256 !== undefined && { thumb_sha256: thumbSha256 }) },
        },
      };
    }
    default:
      return { kind: "text", blobs: [], options: {} };
  }
}

/** Converts a record for tests. The URL contains the DID, because the handle may change (3.1). */
export function toPublishedPost(sim: SimulatorContext, did: string, rkey: string, record: JsonObject): PublishedPost {
  const hashOf = ({ cid }: BlobReference): string => findBlob(sim, did, cid)?.sha256 ?? "";
  const { kind, blobs, options } = describeEmbed(record["embed"], hashOf);
  const { facets, langs, tags } = record;
  const reply = replyOf(record);
  return {
    id: `at://${did}/${POST_COLLECTION}/${rkey}`,
    url: `https://bsky.app/profile/${did}/post/${rkey}`,
    account: did,
    kind,
    text: toText(record["text"]),
    title: null,
    media: blobs.map((blob) => ({
      type: blob.mimeType.startsWith("video/") ? "video" : "image",
      sha256: hashOf(blob),
    })),
    options: {
      ...(facets !== undefined && { facets }),
      ...(langs !== undefined && { langs }),
      ...(tags !== undefined && { tags }),
      ...(reply && { reply: { root: reply.root.uri, parent: reply.parent.uri } }),
      ...options,
    },
    accepted_at: toIsoInstant(sim.now()),
  };
}
