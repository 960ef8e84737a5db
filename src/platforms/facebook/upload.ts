import type { z } from "@hono/zod-openapi";
import { MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PlatformClient, PrepareOutcome } from "#platforms/contract.ts";
import { temporary, rejected } from "#platforms/fault.ts";
import { graphGet } from "#platforms/graph-api.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, type PlatformResponse, readBody, faultOf } from "#platforms/response.ts";
import { sendForm } from "#platforms/send-form.ts";
import { isStory } from "#platforms/story.ts";
import {
  TransferRange,
  UploadRangeError,
  VideoUploadSession,
  ReelUploadSession,
  SuccessFlag,
  Video,
} from "./answers.ts";
import { isForgottenSession, isWrongOffset, toFault, classifyUploadError, videoFault } from "./errors.ts";
import { videoGraphUrl, CALL_TIMEOUT_MS, UPLOAD_TIMEOUT_MS, graphUrl, UPLOAD_HOST } from "./hosts.ts";
import { createCommitRef, TimelineCursor, ReelCursor } from "./refs.ts";

/**
 * The largest part (bytes) that one call sends. Facebook may request a larger one or name no end, but a part must fit
 * into the time of one call.
 */
const MAX_CHUNK_BYTES = 32 * 1024 ** 2;
const MAX_REBUILDS = 2;
/** How long (ms) an upload session is used. Meta does not document its lifetime; a day is assumed, less one hour. */
const SESSION_LIFETIME_MS = 23 * 3_600_000;

/**
 * Uploads a timeline video in an upload session, which gives the video an id before anything is visible. One call with
 * the file's address would also do. But it may answer after five minutes, and until then nobody knows what it made, so
 * a second call could make a second video.
 */
export async function prepareTimelineVideo(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  return storedCursor === undefined
    ? await startSession(client, job, video, 0)
    : await transfer(client, job, video, TimelineCursor.parse(storedCursor));
}

export function videosUrl(job: Job): string {
  return `${videoGraphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/videos`;
}

async function startSession(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  rebuildCount: number,
): Promise<PrepareOutcome> {
  const response = await callPlatform(client, videosUrl(job), {
    ...postJson({ upload_phase: "start", file_size: video.sizeBytes }, bearerHeader(job.account.accessToken)),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const missing = "Facebook did not return an upload session for the video.";
  const session = readBody(VideoUploadSession, response, missing, toFault);
  if (!session.ok) {
    return { state: "refused", fault: session.fault };
  }
  return {
    state: "again",
    afterSeconds: 0,
    cursor: {
      sessionId: session.value.upload_session_id,
      videoId: session.value.video_id,
      start: session.value.start_offset,
      end: session.value.end_offset,
      since: job.now,
      rebuildCount,
    },
  };
}

/** Sends the part of the file that Facebook wants next. Equal offsets mean that Facebook has the whole file. */
async function transfer(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  cursor: TimelineCursor,
): Promise<PrepareOutcome> {
  const length = Math.min(cursor.end, video.sizeBytes, cursor.start + MAX_CHUNK_BYTES) - cursor.start;
  if (length <= 0) {
    return {
      state: "ready",
      ref: createCommitRef("video", { videoId: cursor.videoId, sessionId: cursor.sessionId }),
      expiresAt: cursor.since + SESSION_LIFETIME_MS,
    };
  }
  const response = await sendForm(
    client,
    videosUrl(job),
    { upload_phase: "transfer", upload_session_id: cursor.sessionId, start_offset: String(cursor.start) },
    { field: "video_file_chunk", media: video, name: video.filename, range: { offset: cursor.start, length } },
    { headers: bearerHeader(job.account.accessToken), timeoutMs: UPLOAD_TIMEOUT_MS },
  );
  if (response === null) {
    // The next call starts from the same offset. If this part has arrived, Facebook refuses it and names the next
    // offset.
    return { state: "refused", fault: temporary("The connection to Facebook broke.", { httpStatus: null }) };
  }
  const range = nextRange(response);
  if (range) {
    return {
      state: "again",
      afterSeconds: 0,
      cursor: { ...cursor, start: range.start_offset, end: range.end_offset },
    };
  }
  if (isForgottenSession(response) && cursor.rebuildCount < MAX_REBUILDS) {
    return await startSession(client, job, video, cursor.rebuildCount + 1);
  }
  return {
    state: "refused",
    fault: faultOf(response, "Facebook accepted a part of the video but did not name the next one.", toFault),
  };
}

/** Where to continue the upload. The answer says it, and so does the refusal of a part that Facebook already has. */
function nextRange(response: PlatformResponse): z.infer<typeof TransferRange> | undefined {
  if (isOk(response)) {
    return parseBody(TransferRange, response);
  }
  return isWrongOffset(response) ? parseBody(UploadRangeError, response)?.error.error_data : undefined;
}

const FIRST_POLL_SECONDS = 5;
const MAX_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;
const PROCESSING_DEADLINE_MS = 30 * MINUTE;
/** How long (ms) an upload session is used. Meta does not document its lifetime; a day is assumed, less one hour. */
const UPLOAD_LIFETIME_MS = 23 * 60 * MINUTE;

/**
 * Starts an upload session and uploads the video. `commit` sends the finish call, which publishes the reel. A story
 * takes the same steps on another edge (developers.facebook.com/docs/page-stories-api).
 */
export async function prepareReel(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  if (storedCursor === undefined) {
    return await startUpload(client, job, 0, "hosted");
  }
  const cursor = ReelCursor.parse(storedCursor);
  return cursor.stage === "upload"
    ? await upload(client, job, video, cursor)
    : await pollProcessing(client, job, cursor);
}

async function startUpload(
  client: PlatformClient,
  job: Job,
  rebuildCount: number,
  uploadMode: ReelCursor["uploadMode"],
): Promise<PrepareOutcome> {
  const edge = isStory(job.options) ? "video_stories" : "video_reels";
  const response = await callPlatform(
    client,
    `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/${edge}`,
    postJson({ upload_phase: "start" }, bearerHeader(job.account.accessToken)),
  );
  const session = isOk(response) ? parseBody(ReelUploadSession, response) : undefined;
  // The call to the upload URL contains the token, so the URL must be on Facebook's own upload host.
  if (!session || URL.parse(session.upload_url ?? "")?.hostname !== UPLOAD_HOST) {
    return {
      state: "refused",
      fault: faultOf(response, "Facebook did not return an upload URL for the video.", toFault),
    };
  }
  const cursor: ReelCursor = {
    stage: "upload",
    videoId: session.video_id,
    uploadUrl: session.upload_url ?? "",
    uploadMode,
    since: job.now,
    pollCount: 0,
    rebuildCount,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

async function upload(client: PlatformClient, job: Job, video: JobMedia, cursor: ReelCursor): Promise<PrepareOutcome> {
  const response =
    cursor.uploadMode === "hosted"
      ? await uploadByUrl(client, job, video, cursor)
      : await uploadBytes(client, job, video, cursor);
  if (isOk(response) && parseBody(SuccessFlag, response)?.success !== false) {
    return waitForProcessing(job, cursor);
  }
  const problem = classifyUploadError(response);
  if (cursor.uploadMode === "hosted" && problem === "parameters") {
    // Some apps cannot use the hosted upload ("Header Offset not convertable"). Sending the bytes always works.
    return { state: "again", afterSeconds: 0, cursor: { ...cursor, uploadMode: "bytes" } };
  }
  if (cursor.uploadMode === "hosted" && problem === "offset") {
    // An earlier call without an answer has uploaded the file, as the video's status shows.
    return waitForProcessing(job, cursor);
  }
  const fault = isOk(response) ? videoFault(null, "the upload failed") : toFault(response);
  if (problem === "offset") {
    // The next attempt first asks how many bytes Facebook has.
    return {
      state: "refused",
      fault: temporary("Facebook did not receive the complete upload.", {
        httpStatus: response.status,
        platformCode: fault.platformCode,
      }),
    };
  }
  return { state: "refused", fault };
}

function waitForProcessing(job: Job, cursor: ReelCursor): PrepareOutcome {
  return { state: "again", afterSeconds: 1, cursor: { ...cursor, stage: "wait", since: job.now, pollCount: 0 } };
}

async function uploadByUrl(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  cursor: ReelCursor,
): Promise<PlatformResponse> {
  return await callPlatform(client, cursor.uploadUrl, {
    method: "POST",
    headers: { authorization: `OAuth ${job.account.accessToken}`, file_url: video.url },
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
}

/** Continues an interrupted upload from the offset that Facebook reports. */
async function uploadBytes(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  cursor: ReelCursor,
): Promise<PlatformResponse> {
  const offset = await readTransferredBytes(client, job, cursor);
  const length = video.sizeBytes - offset;
  const { readable, writable } = new FixedLengthStream(length);
  const source = await video.read({ offset, length });
  const requestDone = new AbortController();
  const piping = source.pipeTo(writable, { signal: requestDone.signal }).catch(() => undefined);
  try {
    return await callPlatform(client, cursor.uploadUrl, {
      method: "POST",
      headers: {
        authorization: `OAuth ${job.account.accessToken}`,
        "content-type": "application/octet-stream",
        offset: String(offset),
        file_size: String(video.sizeBytes),
      },
      body: readable,
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
  } finally {
    // Facebook may respond before it has read the whole body, so stop sending.
    requestDone.abort();
    await piping;
  }
}

async function readTransferredBytes(client: PlatformClient, job: Job, cursor: ReelCursor): Promise<number> {
  const response = await readVideo(client, job, cursor.videoId);
  const phase = isOk(response) ? parseBody(Video, response)?.status?.uploading_phase : undefined;
  // Meta's documents use both spellings of this member.
  const bytes = phase?.["bytes_transferred"] ?? phase?.["bytes_transfered"];
  return typeof bytes === "number" ? bytes : 0;
}

async function readVideo(client: PlatformClient, job: Job, id: string): Promise<PlatformResponse> {
  return await graphGet(client, `${graphUrl(job.account.app)}/${encodeURIComponent(id)}`, job.account.accessToken, {
    fields: "status",
  });
}

async function pollProcessing(client: PlatformClient, job: Job, cursor: ReelCursor): Promise<PrepareOutcome> {
  const response = await readVideo(client, job, cursor.videoId);
  const status = isOk(response) ? parseBody(Video, response)?.status : undefined;
  if (!status) {
    return { state: "refused", fault: faultOf(response, "Facebook did not return the state of the video.", toFault) };
  }
  const { video_status: videoStatus, uploading_phase: uploading, processing_phase: processing } = status;
  const error = processing?.error ?? processing?.errors?.[0] ?? uploading?.error ?? uploading?.errors?.[0];
  if (videoStatus === "expired" || videoStatus === "upload_failed" || uploading?.status === "error") {
    return cursor.rebuildCount < MAX_REBUILDS
      ? await startUpload(client, job, cursor.rebuildCount + 1, cursor.uploadMode)
      : { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "the upload failed") };
  }
  if (videoStatus === "error" || processing?.status === "error") {
    return { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "") };
  }
  const isUploaded =
    uploading?.status === "complete" || uploading?.status === "completed" || videoStatus === "upload_complete";
  if (isUploaded || videoStatus === "ready") {
    return {
      state: "ready",
      ref: createCommitRef(isStory(job.options) ? "story" : "reel", { videoId: cursor.videoId }),
      expiresAt: job.now + UPLOAD_LIFETIME_MS,
    };
  }
  if (job.now - cursor.since > PROCESSING_DEADLINE_MS) {
    return {
      state: "refused",
      fault: rejected(
        "Facebook did not finish receiving the video in time.",
        { httpStatus: response.status, platformCode: videoStatus ?? null },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(MAX_POLL_SECONDS, FIRST_POLL_SECONDS * POLL_GROWTH ** cursor.pollCount);
  return { state: "again", afterSeconds, cursor: { ...cursor, pollCount: cursor.pollCount + 1 } };
}
