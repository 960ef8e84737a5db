import type { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PlatformClient, PrepareOutcome } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, type PlatformResponse } from "#platforms/response.ts";
import { sendForm } from "#platforms/send-form.ts";
import { TransferRange, UploadRangeError, VideoUploadSession } from "./answers.ts";
import { isForgottenSession, isWrongOffset, toFault } from "./errors.ts";
import { videoGraphUrl } from "./hosts.ts";
import { createCommitRef, TimelineCursor } from "./refs.ts";
import { CALL_TIMEOUT_MS, UPLOAD_TIMEOUT_MS } from "./timeouts.ts";

/** A chunk whose end Facebook leaves open or sets far away must still fit into the time of one call. */
const MAX_CHUNK_BYTES = 32 * 1024 ** 2;
const MAX_REBUILDS = 2;
/** Meta does not document how long an upload session is valid; a day is assumed, less one hour. */
const SESSION_LIFETIME_MS = 23 * 3_600_000;

/**
 * Uploads a timeline video in an upload session, which names the video before anything is visible. The other way, one call
 * with the file's address, may be answered after five minutes, and what it has made until then cannot be known: a second
 * such call makes a second video.
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
  const session = isOk(response) ? parseBody(VideoUploadSession, response) : undefined;
  if (!session) {
    return {
      state: "refused",
      fault: isOk(response)
        ? temporary("Facebook did not return an upload session for the video.", { httpStatus: response.status })
        : toFault(response),
    };
  }
  return {
    state: "again",
    afterSeconds: 0,
    cursor: {
      sessionId: session.upload_session_id,
      videoId: session.video_id,
      start: session.start_offset,
      end: session.end_offset,
      since: job.now,
      rebuildCount,
    },
  };
}

/** Sends the part of the file that Facebook asks for; equal offsets mean that it has everything. */
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
    // Sent again from the same offset: if this part has arrived, Facebook refuses it and names the offset to go on from.
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
    fault: isOk(response)
      ? temporary("Facebook accepted a part of the video but did not name the next one.", {
          httpStatus: response.status,
        })
      : toFault(response),
  };
}

/** Where to go on: in the answer, or in the refusal of a part that Facebook has already. */
function nextRange(response: PlatformResponse): z.infer<typeof TransferRange> | undefined {
  if (isOk(response)) {
    return parseBody(TransferRange, response);
  }
  return isWrongOffset(response) ? parseBody(UploadRangeError, response)?.error.error_data : undefined;
}
