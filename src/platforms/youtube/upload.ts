import { MINUTE, SECOND } from "#core/clock.ts";
import type { Fault, Job, JobMedia, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";
import { Video, VideoList } from "./answers.ts";
import { toFault, videoFault } from "./errors.ts";
import { API_URL } from "./hosts.ts";

/* The resumable upload protocol (developers.google.com/youtube/v3/guides/using_resumable_upload_protocol). A session
   creates at most one video, and only when its last byte arrives. So it can safely be queried or continued at any
   time. */

/** The size of every chunk but the last must be a multiple of this (bytes). */
const CHUNK_MULTIPLE_BYTES = 256 * 1024;
const CHUNK_BYTES = 8 * 1024 ** 2;
/**
 * The timeout (ms) of a call that creates or fills an upload session: DEFAULT_HTTP_TIMEOUT_SEC of
 * googleapiclient/http.py in https://github.com/googleapis/google-api-python-client, the library of YouTube's own
 * upload guide. Google names 60 seconds for PHP too
 * (https://developers.google.com/display-video/api/guides/concepts/general/timeouts-retries).
 */
export const UPLOAD_TIMEOUT_MS = MINUTE;
const QUERY_TIMEOUT_MS = 20 * SECOND;

type SessionState =
  | { readonly state: "complete"; readonly video: Video }
  | { readonly state: "incomplete"; readonly offset: number }
  | { readonly state: "gone" }
  /** The response does not tell the state of the upload, but a later query can. */
  | { readonly state: "unclear" }
  | { readonly state: "refused"; readonly fault: Fault };

interface SessionResponse {
  readonly session: SessionState;
  /** The HTTP status; null if the connection broke. */
  readonly httpStatus: number | null;
}

/**
 * Where the last chunk begins. It creates the video, and it is as small as possible because it is sent at the due time.
 */
export function lastChunkOffset(totalBytes: number): number {
  return Math.floor((totalBytes - 1) / CHUNK_MULTIPLE_BYTES) * CHUNK_MULTIPLE_BYTES;
}

/** The size of the next chunk before the last one. 0 if only the last chunk is missing. */
export function nextChunkBytes(offset: number, totalBytes: number): number {
  const remaining = Math.floor((lastChunkOffset(totalBytes) - offset) / CHUNK_MULTIPLE_BYTES) * CHUNK_MULTIPLE_BYTES;
  return Math.min(CHUNK_BYTES, Math.max(0, remaining));
}

/** The most bytes that `commit` may send in one call. */
export const LAST_CHUNK_MAX_BYTES = CHUNK_BYTES;

export async function sendChunk(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  sessionUrl: string,
  range: ByteRange,
): Promise<SessionResponse> {
  const { offset, length } = range;
  const response = await sendRange(client, sessionUrl, media, range, {
    method: "PUT",
    headers: {
      ...bearerHeader(job.account.accessToken),
      "content-type": media.contentType,
      "content-length": String(length),
      "content-range": `bytes ${offset}-${offset + length - 1}/${media.sizeBytes}`,
    },
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  return toSessionResponse(response, job.now);
}

/** Asks YouTube how many bytes of a session it has, or whether the video exists. */
export async function querySession(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  sessionUrl: string,
): Promise<SessionResponse> {
  const request = callPlatform(client, sessionUrl, {
    method: "PUT",
    headers: {
      ...bearerHeader(job.account.accessToken),
      "content-length": "0",
      "content-range": `bytes */${media.sizeBytes}`,
    },
    body: new Uint8Array(),
    timeoutMs: QUERY_TIMEOUT_MS,
  });
  return toSessionResponse(await request.catch(() => null), job.now);
}

function toSessionResponse(response: PlatformResponse | null, now: number): SessionResponse {
  return response === null
    ? { session: { state: "unclear" }, httpStatus: null }
    : { session: parseSessionState(response, now), httpStatus: response.status };
}

function parseSessionState(response: PlatformResponse, now: number): SessionState {
  if (isOk(response)) {
    const video = parseBody(Video, response);
    return video ? { state: "complete", video } : { state: "unclear" };
  }
  switch (response.status) {
    case 308:
      return { state: "incomplete", offset: storedBytes(response.headers) };
    case 404:
    case 410:
      return { state: "gone" };
    default: {
      const fault = toFault(response, now);
      return response.status < 400 || fault.kind === "temporary" ? { state: "unclear" } : { state: "refused", fault };
    }
  }
}

/** How many bytes YouTube has, from `Range: bytes=0-8388607`. Without the header it has none. */
function storedBytes(headers: Headers): number {
  const lastByte = /^bytes=0-(\d{1,15})$/.exec(headers.get("range")?.trim() ?? "")?.[1];
  return lastByte === undefined ? 0 : Number(lastByte) + 1;
}

/** The video of the job. Validation ensures that there is exactly one. */
export function findVideo(job: Job): JobMedia | null {
  const [media] = job.media;
  return media?.type === "video" ? media : null;
}

export const NO_VIDEO_FAULT = rejected(
  "A YouTube post is exactly one video.",
  { httpStatus: null },
  { code: "media_required", category: "media" },
);

export function watchUrl(id: string): string {
  return `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`;
}

/* YouTube can still refuse a video that it has received. `status.uploadStatus` reports this when processing has
   ended (developers.google.com/youtube/v3/docs/videos). */

/**
 * How soon (s) the first check follows the upload. It is early, because YouTube processes a short clip within seconds.
 */
export const FIRST_LOOK_SECONDS = 10;
const MIN_WAIT_SECONDS = 15;
/**
 * The longest wait (s) between two checks. Each check costs one of the project's 10,000 units a day. A wait is a third
 * of the time so far, at most half an hour. That makes at most 65 checks in 24 hours, which the project's 100 uploads a
 * day can afford.
 */
const MAX_WAIT_SECONDS = 1800;

/** Reads whether the processing of a received video has ended, and how. */
export async function readProcessing(client: PlatformClient, job: Job, id: string): Promise<VerifyOutcome> {
  const response = await callPlatform(
    client,
    withQuery(`${API_URL}/videos`, { part: "status,processingDetails", id }),
    { headers: bearerHeader(job.account.accessToken) },
  );
  const list = isOk(response) ? parseBody(VideoList, response) : undefined;
  if (!list) {
    return isOk(response) ? lookAgain(job, true) : afterRefusedLook(job, response);
  }
  const video = list.items?.find((item) => item.id === id);
  return video
    ? processingOutcome(job, video, response.status)
    : { state: "cannot_tell", detail: `YouTube received the video and no longer has it: look at ${watchUrl(id)}` };
}

/** The outcome of a video from one answer of YouTube about it. */
export function processingOutcome(job: Job, video: Video, httpStatus: number | null): VerifyOutcome {
  const fault = videoFault(video, httpStatus);
  if (fault) {
    return { state: "refused", fault };
  }
  return hasEnded(video) ? { state: "published", remoteId: video.id, url: watchUrl(video.id) } : lookAgain(job, true);
}

/** Whether YouTube has finished the video successfully; `videoFault` finds failures before. */
export function hasEnded(video: Video): boolean {
  return video.status?.uploadStatus === "processed" || video.processingDetails?.processingStatus === "succeeded";
}

function lookAgain(job: Job, isProcessing: boolean, retryAfterSeconds = 0): VerifyOutcome {
  const elapsedSeconds = Math.ceil((job.now - (job.lastCommittedAt ?? job.now)) / SECOND);
  const wait = Math.min(MAX_WAIT_SECONDS, Math.max(MIN_WAIT_SECONDS, Math.ceil(elapsedSeconds / 3)));
  return { state: "again", afterSeconds: Math.max(wait, retryAfterSeconds), isProcessing };
}

/**
 * The outcome of a refused check. It says nothing about the video, which YouTube has received, so an exhausted quota
 * must not fail the post.
 */
function afterRefusedLook(job: Job, response: PlatformResponse): VerifyOutcome {
  const fault = toFault(response, job.now);
  switch (fault.kind) {
    case "reconnect":
      return { state: "refused", fault };
    case "rate_limited":
    case "temporary":
      return lookAgain(job, true, fault.retryAfterSeconds);
    case "rejected":
      return lookAgain(job, false);
  }
}
