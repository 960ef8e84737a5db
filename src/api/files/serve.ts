import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { findServableMedia, isMediaId, mediaKey, type ReadyMediaRow } from "#media/index.ts";
import { namesTag, readRange } from "./range.ts";

/** The bytes behind an address never change, and nobody may recompress them on the way: platforms check their hash. */
const CACHING = "public, max-age=31536000, immutable, no-transform";

function headersOf(media: ReadyMediaRow, tag: string): Record<string, string> {
  return {
    "accept-ranges": "bytes",
    "cache-control": CACHING,
    "content-disposition": `inline; filename="${media.filename}"`,
    "content-type": media.contentType,
    "cross-origin-resource-policy": "cross-origin",
    etag: tag,
    "x-content-type-options": "nosniff",
  };
}

function notFound(): never {
  refuse({ code: "not_found", message: "there is no such file" });
}

/** A stored file as the world sees it. The row alone answers HEAD and conditions; the body is R2's own stream, passed on. */
export async function serveMedia(
  services: Pick<Services, "db" | "bucket">,
  request: Request,
  id: string,
): Promise<Response> {
  const media = isMediaId(id) ? await findServableMedia(services.db, id) : null;
  if (!media) {
    return notFound();
  }
  const tag = `"${media.sha256}"`;
  const headers = headersOf(media, tag);
  const asked = request.headers;
  if (asked.has("if-match") && !namesTag(asked.get("if-match"), tag)) {
    return new Response(null, { status: 412, headers });
  }
  if (namesTag(asked.get("if-none-match"), tag)) {
    return new Response(null, { status: 304, headers });
  }
  if (request.method === "HEAD") {
    return new Response(null, { headers: { ...headers, "content-length": String(media.sizeBytes) } });
  }
  const sameFile = !asked.has("if-range") || asked.get("if-range") === tag;
  const range = sameFile ? readRange(asked.get("range"), media.sizeBytes) : null;
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${media.sizeBytes}` } });
  }
  const object = await services.bucket.get(mediaKey(media.sha256), range ? { range } : {});
  if (!object) {
    log("error", "media.object_missing", { media_id: media.id });
    return notFound();
  }
  return range
    ? new Response(object.body, {
        status: 206,
        headers: {
          ...headers,
          "content-length": String(range.length),
          "content-range": `bytes ${range.offset}-${range.offset + range.length - 1}/${media.sizeBytes}`,
        },
      })
    : new Response(object.body, { headers: { ...headers, "content-length": String(media.sizeBytes) } });
}
