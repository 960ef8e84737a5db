import { lookAt } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetching.ts";
import { liveToken } from "#sandbox/grants.ts";
import { CRAWLER } from "./posts.ts";
import { forbids } from "./robots.ts";
import { findVideo, reelProblem, saveVideo, type Video } from "./videos.ts";

/* The bytes of a reel, sent or fetched: platforms/facebook.md 2.4, step 2. */

type Kind =
  | "OffsetInvalidError"
  | "PartialRequestError"
  | "ProcessingFailedError"
  | "NotAuthorizedError"
  | "ParameterValidationError";

/** This host has an error shape of its own. */
const refused = (type: Kind, message: string, retriable = false): Response =>
  Response.json({ debug_info: { retriable, type, message } }, { status: 400 });

/** Whether the host lets the crawler have the address; the switch `robots_deny` says no for all of them. */
async function isAllowed(sim: Sim, url: URL): Promise<boolean> {
  if (sim.settings.extra["robots_deny"] === true) {
    return false;
  }
  try {
    const answer = await sim.pull(new URL("/robots.txt", url).href, { "user-agent": CRAWLER });
    const text = await answer.text();
    return answer.status !== 200 || !forbids(text, CRAWLER, url.pathname);
  } catch {
    return true;
  }
}

async function hosted(sim: Sim, video: Video, fileUrl: string): Promise<Response> {
  // Seen in the field for a while.
  if (sim.settings.extra["refuse_file_url"] === true) {
    return refused("ParameterValidationError", "Header Offset not convertable");
  }
  const url = URL.parse(fileUrl);
  if (!url || !(await isAllowed(sim, url))) {
    return refused("ProcessingFailedError", "The file_url may not be crawled");
  }
  const found = await fetchMedia(sim, fileUrl, CRAWLER);
  if (!found) {
    return refused("ProcessingFailedError", "The file_url could not be fetched", true);
  }
  const { sha256, size, looks } = found;
  saveVideo(sim, { ...video, sha256, stored: size, uploadedAt: sim.now(), problem: reelProblem(sim, looks) });
  return Response.json({ success: true });
}

const blobKey = (id: string, piece: number): string => `sandbox/facebook/${id}/${piece}`;

/** Bytes from `offset` on; an upload goes on where it stopped. */
async function sent(request: Request, sim: Sim, video: Video): Promise<Response> {
  const header = (name: string): number => Number(request.headers.get(name) ?? "NaN");
  const size = header("file_size");
  const length = header("content-length");
  if (!Number.isSafeInteger(size) || size <= 0 || !Number.isSafeInteger(length) || !request.body) {
    return refused("ParameterValidationError", "offset, file_size and a body are required");
  }
  if (header("offset") !== video.stored) {
    return refused("OffsetInvalidError", `the offset must be ${video.stored}`, true);
  }
  if (video.stored + length > size) {
    return refused("ParameterValidationError", "the body is longer than file_size");
  }
  const fixed = new FixedLengthStream(length);
  const blob = blobKey(video.id, video.pieces);
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blob, fixed.readable)]);
  const grown: Video = { ...video, stored: video.stored + length, pieces: video.pieces + 1 };
  const keys = Array.from({ length: grown.pieces }, (_, piece) => blobKey(video.id, piece));
  const whole = grown.stored === size ? await sim.digestBlobs(keys) : null;
  if (findVideo(sim, video.id)?.stored !== video.stored) {
    return refused("OffsetInvalidError", "another upload was faster", true);
  }
  if (!whole) {
    saveVideo(sim, grown);
    return refused("PartialRequestError", "Partial request (did not match length of file)", true);
  }
  const problem = reelProblem(sim, lookAt(whole.head));
  saveVideo(sim, { ...grown, sha256: whole.sha256, uploadedAt: sim.now(), problem });
  return Response.json({ success: true });
}

/** POST /video-upload/{version}/{video} */
export async function rupload(request: Request, url: URL, sim: Sim): Promise<Response> {
  const secret = /^OAuth (?<token>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["token"] ?? "";
  const session = liveToken(sim, secret, "access");
  const video = findVideo(sim, url.pathname.split("/").at(-1) ?? "");
  if (!session || !video || session.extra["page"] !== video.page) {
    return refused("NotAuthorizedError", "The token may not upload to this video");
  }
  if (video.uploadedAt !== null) {
    return refused("OffsetInvalidError", "The upload is complete");
  }
  const fileUrl = request.headers.get("file_url");
  return fileUrl === null ? sent(request, sim, video) : hosted(sim, video, fileUrl);
}
