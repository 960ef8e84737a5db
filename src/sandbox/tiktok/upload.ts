import { HOUR } from "#core/clock.ts";
import { lookAt } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { faultInVideo } from "./pull.ts";
import { find, process, type Publish, save } from "./publishes.ts";

/* PUT of a video's chunks, in order: platforms/tiktok.md 2.2. */

const LIFETIME_MS = HOUR;
const TYPE = /^video\/(?:mp4|quicktime|webm)$/;

const refused = (status: number, why: string): Response => new Response(why, { status });

const blobKey = (id: string, chunk: number): string => `sandbox/tiktok/${id}/${chunk}`;

const progress = ({ stored, size }: Publish): Record<string, string> => ({
  "content-range": `bytes 0-${Math.max(0, stored - 1)}/${size}`,
});

const outOfOrder = (publish: Publish): Response =>
  new Response("the range does not match the progress", { status: 416, headers: progress(publish) });

/** First and last byte of the chunk, or the refusal. */
function chunkOf(request: Request, publish: Publish): { readonly first: number; readonly last: number } | Response {
  const said = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(request.headers.get("content-range") ?? "");
  const { first, last, total } = said?.groups ?? {};
  if (!TYPE.test(request.headers.get("content-type") ?? "") || Number(total) !== publish.size || !request.body) {
    return refused(400, "Content-Type or Content-Range is wrong");
  }
  const chunk = { first: Number(first), last: Number(last) };
  const length = chunk.last - chunk.first + 1;
  if (request.headers.get("content-length") !== String(length)) {
    return refused(400, "Content-Length does not fit Content-Range");
  }
  if (publish.doneAt !== null || chunk.first !== publish.stored) {
    return outOfOrder(publish);
  }
  const isLast = publish.chunks === publish.chunkCount - 1;
  return length === (isLast ? publish.size - publish.stored : publish.chunkSize)
    ? chunk
    : refused(400, "the chunk has the wrong size");
}

export async function receive(request: Request, url: URL, sim: Sim): Promise<Response> {
  const id = url.searchParams.get("upload_id") ?? "";
  const publish = find(sim, id);
  if (!publish || publish.uploadToken === null || publish.uploadToken !== url.searchParams.get("upload_token")) {
    return refused(404, "unknown upload");
  }
  if (publish.createdAt + LIFETIME_MS <= sim.now()) {
    return refused(403, "upload_url expired");
  }
  // The address alone is the key, and a token has no business here.
  if (request.headers.has("authorization")) {
    return refused(400, "no Authorization here");
  }
  const chunk = chunkOf(request, publish);
  if (chunk instanceof Response || !request.body) {
    return chunk instanceof Response ? chunk : refused(400, "no bytes");
  }
  const fixed = new FixedLengthStream(chunk.last - chunk.first + 1);
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blobKey(id, publish.chunks), fixed.readable)]);
  const grown: Publish = { ...publish, stored: chunk.last + 1, chunks: publish.chunks + 1 };
  const isLast = grown.chunks === grown.chunkCount;
  const keys = Array.from({ length: grown.chunks }, (_, at) => blobKey(id, at));
  const whole = isLast ? await sim.digestBlobs(keys) : null;
  // Nothing waits from here on: of two that sent the same chunk, one finds it there already.
  const now = find(sim, id);
  if (!now || now.stored !== publish.stored || now.doneAt !== null) {
    return outOfOrder(now ?? publish);
  }
  if (!whole) {
    save(sim, grown);
    return new Response(null, { status: 206, headers: progress(grown) });
  }
  const failReason = faultInVideo(grown, lookAt(whole.head));
  process(sim, grown, { media: [{ type: "video", sha256: whole.sha256 }], failReason });
  return new Response(null, { status: 201, headers: progress(grown) });
}
