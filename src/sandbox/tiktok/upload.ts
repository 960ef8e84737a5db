import { HOUR } from "#core/clock.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { videoFailReason } from "./pull-media.ts";
import { findPublish, startProcessing, type Publish, savePublish } from "./publishes.ts";

/* PUT of a video's chunks, in order: platforms/tiktok.md 2.2 (video upload). */

const UPLOAD_URL_LIFETIME_MS = HOUR;
const VIDEO_CONTENT_TYPE = /^video\/(?:mp4|quicktime|webm)$/;

const textResponse = (status: number, text: string): Response => new Response(text, { status });

const blobKey = (id: string, chunk: number): string => `sandbox/tiktok/${id}/${chunk}`;

const progressHeaders = ({ stored, size }: Publish): Record<string, string> => ({
  "content-range": `bytes 0-${Math.max(0, stored - 1)}/${size}`,
});

const rangeMismatch = (publish: Publish): Response =>
  new Response("Content-Range does not continue the stored bytes", { status: 416, headers: progressHeaders(publish) });

/** First and last byte of the chunk, or the error response. */
function readChunkRange(
  request: Request,
  publish: Publish,
): { readonly first: number; readonly last: number } | Response {
  const match = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(request.headers.get("content-range") ?? "");
  const { first, last, total } = match?.groups ?? {};
  if (
    !VIDEO_CONTENT_TYPE.test(request.headers.get("content-type") ?? "") ||
    Number(total) !== publish.size ||
    !request.body
  ) {
    return textResponse(400, "Content-Type or Content-Range is wrong");
  }
  const chunk = { first: Number(first), last: Number(last) };
  const length = chunk.last - chunk.first + 1;
  if (request.headers.get("content-length") !== String(length)) {
    return textResponse(400, "Content-Length does not match Content-Range");
  }
  if (publish.doneAt !== null || chunk.first !== publish.stored) {
    return rangeMismatch(publish);
  }
  const isLast = publish.chunks === publish.chunkCount - 1;
  return length === (isLast ? publish.size - publish.stored : publish.chunkSize)
    ? chunk
    : textResponse(400, "the chunk has the wrong size");
}

export async function receiveChunk(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const id = url.searchParams.get("upload_id") ?? "";
  const publish = findPublish(sim, id);
  if (!publish || publish.uploadToken === null || publish.uploadToken !== url.searchParams.get("upload_token")) {
    return textResponse(404, "unknown upload");
  }
  if (publish.createdAt + UPLOAD_URL_LIFETIME_MS <= sim.now()) {
    return textResponse(403, "upload_url expired");
  }
  // The upload URL is the credential; TikTok forbids an access token here.
  if (request.headers.has("authorization")) {
    return textResponse(400, "Authorization is not allowed here");
  }
  const chunk = readChunkRange(request, publish);
  if (chunk instanceof Response || !request.body) {
    return chunk instanceof Response ? chunk : textResponse(400, "the body is empty");
  }
  const fixed = new FixedLengthStream(chunk.last - chunk.first + 1);
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blobKey(id, publish.chunks), fixed.readable)]);
  const updated: Publish = { ...publish, stored: chunk.last + 1, chunks: publish.chunks + 1 };
  const isLast = updated.chunks === updated.chunkCount;
  const keys = Array.from({ length: updated.chunks }, (_, chunkIndex) => blobKey(id, chunkIndex));
  const file = isLast ? await sim.digestBlobs(keys) : null;
  // No await from here on: of two concurrent calls with the same chunk, the second one then finds it stored.
  const current = findPublish(sim, id);
  if (!current || current.stored !== publish.stored || current.doneAt !== null) {
    return rangeMismatch(current ?? publish);
  }
  if (!file) {
    savePublish(sim, updated);
    return new Response(null, { status: 206, headers: progressHeaders(updated) });
  }
  const failReason = videoFailReason(updated, inspectMedia(file.head));
  startProcessing(sim, updated, { media: [{ type: "video", sha256: file.sha256 }], failReason });
  return new Response(null, { status: 201, headers: progressHeaders(updated) });
}
