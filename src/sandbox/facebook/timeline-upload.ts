import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { graphError, type Params, textParam } from "#sandbox/graph-api.ts";
import { invalidParameter } from "./error-responses.ts";
import { allVideos, newVideo, saveVideo, timelineFields, type Video } from "./videos.ts";

/*
 * The upload session of a timeline video: "Uploading Videos with the Graph API" (developers.facebook.com/docs/graph-api/video-uploads)
 * and its error codes (developers.facebook.com/docs/video-api/reference/error-codes).
 */

const CHUNK_BYTES = 4 * 1024 * 1024;
const MIN_BYTES = 1024;

const blobKey = (id: string, part: number): string => `sandbox/facebook/${id}/${part}`;

/** The next part of the file. Offsets are texts, and equal offsets mean that the whole file has arrived. */
const offsets = ({ storedBytes, session }: Video): { start_offset: string; end_offset: string } => ({
  start_offset: String(storedBytes),
  end_offset: String(Math.min(storedBytes + CHUNK_BYTES, session?.size ?? 0)),
});

function start(sim: SimulatorContext, page: string, params: Params): Response {
  const size = Number(textParam(params, "file_size") ?? "NaN");
  if (!Number.isSafeInteger(size) || size < MIN_BYTES) {
    return graphError(sim, { code: 6000, subcode: 1_363_022, message: "The video you tried to upload is too small." });
  }
  const session = { id: sim.newId(16), size };
  const video = newVideo(sim, page, "video", { session });
  saveVideo(sim, video);
  return Response.json({ upload_session_id: session.id, video_id: video.id, ...offsets(video) });
}

async function transfer(sim: SimulatorContext, video: Video, params: Params, chunk: Blob | null): Promise<Response> {
  if (chunk === null || chunk.size === 0) {
    return graphError(sim, { code: 6000, subcode: 1_363_020, message: "No Video Selected." });
  }
  const range = offsets(video);
  const end = video.storedBytes + chunk.size;
  if (textParam(params, "start_offset") !== range.start_offset || end > Number(range.end_offset)) {
    return graphError(sim, {
      code: 6000,
      subcode: 1_363_037,
      message: "There was a problem uploading your video. Please try uploading it again.",
      data: range,
    });
  }
  await sim.blobs.put(blobKey(video.id, video.partCount), await chunk.arrayBuffer());
  const updated: Video = { ...video, storedBytes: end, partCount: video.partCount + 1 };
  const isComplete = end === video.session?.size;
  const file = isComplete
    ? await sim.digestBlobs(Array.from({ length: updated.partCount }, (_, part) => blobKey(video.id, part)))
    : null;
  if (file && inspectMedia(file.head).type !== "video/mp4") {
    return graphError(sim, { code: 6000, subcode: 1_363_031, message: "No Video Detected." });
  }
  saveVideo(sim, { ...updated, ...(file && { sha256: file.sha256, uploadedAt: sim.now() }) });
  return Response.json(offsets(updated));
}

async function finish(sim: SimulatorContext, video: Video, params: Params): Promise<Response> {
  // Refuse a second finish of a session. The documents do not say what it returns, so the strict meaning applies.
  if (video.sha256 === null || video.finishedAt !== null) {
    return invalidParameter(
      sim,
      `The upload session is ${video.sha256 === null ? "not complete" : "finished already"}`,
    );
  }
  const object = await sim.blobs.get(blobKey(video.id, 0));
  const info = inspectMedia(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0)));
  saveVideo(sim, { ...video, ...timelineFields(sim, params, info) });
  return Response.json({ success: true });
}

/** Handles `POST /{page}/videos` with `upload_phase`. */
export async function uploadSession(
  sim: SimulatorContext,
  page: string,
  params: Params,
  chunk: Blob | null,
): Promise<Response> {
  if (params.has("file_url")) {
    return invalidParameter(sim, "Param file_url cannot be used with upload_phase");
  }
  const phase = textParam(params, "upload_phase");
  if (phase === "start") {
    return start(sim, page, params);
  }
  const sessionId = textParam(params, "upload_session_id");
  const video = allVideos(sim).find((candidate) => candidate.page === page && candidate.session?.id === sessionId);
  if (!video) {
    return invalidParameter(sim, "Param upload_session_id is not an upload session of the Page");
  }
  switch (phase) {
    case "transfer":
      return transfer(sim, video, params, chunk);
    case "finish":
      return finish(sim, video, params);
    default:
      return invalidParameter(sim, "Param upload_phase must be start, transfer, finish or cancel");
  }
}
