import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetch-media.ts";
import { findValidToken } from "#sandbox/oauth-server.ts";
import { CRAWLER_USER_AGENT } from "./posts.ts";
import { isDisallowed } from "./robots-txt.ts";
import { findVideo, reelProcessingError, saveVideo, type Video } from "./videos.ts";

/* Uploads a reel or a story, as bytes or from a URL (platforms/facebook.md 2.4, step 2). */

type UploadErrorType =
  | "OffsetInvalidError"
  | "PartialRequestError"
  | "ProcessingFailedError"
  | "NotAuthorizedError"
  | "ParameterValidationError";

/** An error of the upload host, which has its own format. */
const uploadError = (type: UploadErrorType, message: string, retriable = false): Response =>
  Response.json({ debug_info: { retriable, type, message } }, { status: 400 });

/** Whether a host's robots.txt allows the crawler. The setting `robots_deny` forbids it at every host. */
async function isAllowedByRobotsTxt(sim: SimulatorContext, url: URL): Promise<boolean> {
  if (sim.settings.extra["robots_deny"] === true) {
    return false;
  }
  try {
    const response = await sim.fetchUrl(new URL("/robots.txt", url).href, { "user-agent": CRAWLER_USER_AGENT });
    const text = await response.text();
    return response.status !== 200 || !isDisallowed(text, CRAWLER_USER_AGENT, url.pathname);
  } catch {
    return true;
  }
}

async function fetchHostedFile(sim: SimulatorContext, video: Video, fileUrl: string): Promise<Response> {
  // With the setting `refuse_file_url`, refuse as the real API did for some time.
  if (sim.settings.extra["refuse_file_url"] === true) {
    return uploadError("ParameterValidationError", "Header Offset not convertable");
  }
  const url = URL.parse(fileUrl);
  if (!url || !(await isAllowedByRobotsTxt(sim, url))) {
    return uploadError("ProcessingFailedError", "The file_url may not be crawled");
  }
  const file = await fetchMedia(sim, fileUrl, CRAWLER_USER_AGENT);
  if (!file) {
    return uploadError("ProcessingFailedError", "The file_url could not be fetched", true);
  }
  const { sha256, size, info } = file;
  saveVideo(sim, {
    ...video,
    sha256,
    storedBytes: size,
    uploadedAt: sim.now(),
    processingError: reelProcessingError(sim, info, video.kind),
  });
  return Response.json({ success: true });
}

const blobKey = (id: string, part: number): string => `sandbox/facebook/${id}/${part}`;

/** Receives the bytes from `offset` on. An interrupted upload continues there. */
async function receiveBytes(request: Request, sim: SimulatorContext, video: Video): Promise<Response> {
  const header = (name: string): number => Number(request.headers.get(name) ?? "NaN");
  const size = header("file_size");
  const length = header("content-length");
  if (!Number.isSafeInteger(size) || size <= 0 || !Number.isSafeInteger(length) || !request.body) {
    return uploadError("ParameterValidationError", "offset, file_size and a body are required");
  }
  if (header("offset") !== video.storedBytes) {
    return uploadError("OffsetInvalidError", `the offset must be ${video.storedBytes}`, true);
  }
  if (video.storedBytes + length > size) {
    return uploadError("ParameterValidationError", "the body is longer than file_size");
  }
  const fixedLength = new FixedLengthStream(length);
  const key = blobKey(video.id, video.partCount);
  await Promise.all([request.body.pipeTo(fixedLength.writable), sim.blobs.put(key, fixedLength.readable)]);
  const updated: Video = { ...video, storedBytes: video.storedBytes + length, partCount: video.partCount + 1 };
  const keys = Array.from({ length: updated.partCount }, (_, part) => blobKey(video.id, part));
  const file = updated.storedBytes === size ? await sim.digestBlobs(keys) : null;
  if (findVideo(sim, video.id)?.storedBytes !== video.storedBytes) {
    return uploadError("OffsetInvalidError", "another upload changed the offset", true);
  }
  if (!file) {
    saveVideo(sim, updated);
    return uploadError("PartialRequestError", "Partial request (did not match length of file)", true);
  }
  const processingError = reelProcessingError(sim, inspectMedia(file.head), video.kind);
  saveVideo(sim, { ...updated, sha256: file.sha256, uploadedAt: sim.now(), processingError });
  return Response.json({ success: true });
}

/** Handles `POST /video-upload/{version}/{video}`. */
export async function receiveReelUpload(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const secret = /^OAuth (?<token>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["token"] ?? "";
  const token = findValidToken(sim, secret, "access");
  const video = findVideo(sim, url.pathname.split("/").at(-1) ?? "");
  if (!token || !video || token.extra["page"] !== video.page) {
    return uploadError("NotAuthorizedError", "The token may not upload to this video");
  }
  if (video.uploadedAt !== null) {
    return uploadError("OffsetInvalidError", "The upload is complete");
  }
  const fileUrl = request.headers.get("file_url");
  return fileUrl === null ? receiveBytes(request, sim, video) : fetchHostedFile(sim, video, fileUrl);
}
