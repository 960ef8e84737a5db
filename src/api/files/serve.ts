import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { findServableMedia, isMediaId, mediaKey, type ReadyMediaRow } from "#media/index.ts";
import { includesEtag, parseRange } from "./range.ts";

/**
 * The bytes at a media URL never change, so caches may keep them. `no-transform` forbids changes, because platforms
 * verify the hash.
 */
const CACHE_CONTROL = "public, max-age=31536000, immutable, no-transform";

function mediaHeaders(media: ReadyMediaRow, etag: string): Record<string, string> {
  return {
    "accept-ranges": "bytes",
    "cache-control": CACHE_CONTROL,
    // A document may contain scripts, so the browser must download it and not show it.
    "content-disposition": `${media.type === "document" ? "attachment" : "inline"}; filename="${media.filename}"`,
    "content-type": media.contentType,
    "cross-origin-resource-policy": "cross-origin",
    etag,
    "x-content-type-options": "nosniff",
    // Keeps stored media out of search results. A rule in robots.txt would also stop platforms, which must fetch the
    // file.
    "x-robots-tag": "noindex",
  };
}

function notFound(): never {
  refuse({ code: "not_found", message: "file not found" });
}

/** Serves a stored file. HEAD and conditional requests read only the database row, and R2 streams the body. */
export async function serveMedia(
  services: Pick<Services, "db" | "bucket">,
  request: Request,
  id: string,
): Promise<Response> {
  const media = isMediaId(id) ? await findServableMedia(services.db, id) : null;
  if (!media) {
    return notFound();
  }
  const etag = `"${media.sha256}"`;
  const headers = mediaHeaders(media, etag);
  const requestHeaders = request.headers;
  if (requestHeaders.has("if-match") && !includesEtag(requestHeaders.get("if-match"), etag)) {
    return new Response(null, { status: 412, headers });
  }
  if (includesEtag(requestHeaders.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  if (request.method === "HEAD") {
    return new Response(null, { headers: { ...headers, "content-length": String(media.sizeBytes) } });
  }
  const isSameFile = !requestHeaders.has("if-range") || requestHeaders.get("if-range") === etag;
  const range = isSameFile ? parseRange(requestHeaders.get("range"), media.sizeBytes) : null;
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
