import { SECOND } from "#core/clock.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { type Video, VideoList } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_URL } from "./hosts.ts";
import { watchUrl } from "./upload-session.ts";
import { videoFault } from "./video-faults.ts";

/*
 * A video that was received can still be refused: what became of it stands in `status.uploadStatus`
 * (developers.google.com/youtube/v3/docs/videos) once its processing has ended.
 */

/** The first look after the upload; a short clip is processed within seconds. */
export const FIRST_LOOK_SECONDS = 10;
const MIN_WAIT_SECONDS = 15;
/**
 * A look costs one of the project's 10,000 units a day. Waits that grow by a third of the time so far, up to half an hour, are at
 * most 65 looks within 24 hours: enough for the 100 uploads that a project has a day.
 */
const MAX_WAIT_SECONDS = 1800;

/** What became of a video that YouTube received. */
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

/** The outcome of a video as one answer of YouTube describes it. */
export function processingOutcome(job: Job, video: Video, httpStatus: number | null): VerifyOutcome {
  const fault = videoFault(video, httpStatus);
  if (fault) {
    return { state: "refused", fault };
  }
  return hasEnded(video) ? { state: "published", remoteId: video.id, url: watchUrl(video.id) } : lookAgain(job, true);
}

/** Whether YouTube says that nothing more will happen; `videoFault` has found the ends that are failures. */
export function hasEnded(video: Video): boolean {
  return video.status?.uploadStatus === "processed" || video.processingDetails?.processingStatus === "succeeded";
}

function lookAgain(job: Job, isProcessing: boolean, retryAfterSeconds = 0): VerifyOutcome {
  const elapsedSeconds = Math.ceil((job.now - (job.lastCommittedAt ?? job.now)) / SECOND);
  const wait = Math.min(MAX_WAIT_SECONDS, Math.max(MIN_WAIT_SECONDS, Math.ceil(elapsedSeconds / 3)));
  return { state: "again", afterSeconds: Math.max(wait, retryAfterSeconds), isProcessing };
}

/** A look that was refused says nothing about the video: it was received, and stays so while the quota is used up. */
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
