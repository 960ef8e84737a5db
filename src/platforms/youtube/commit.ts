import type { JsonValue } from "#core/json.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import type { Video } from "./answers.ts";
import {
  FIRST_LOOK_SECONDS,
  hasEnded,
  LAST_CHUNK_MAX_BYTES,
  NO_VIDEO_FAULT,
  sendChunk,
  findVideo,
  watchUrl,
} from "./upload.ts";
import { CommitRef } from "./refs.ts";
import { videoFault } from "./errors.ts";

/** Sends the last bytes of the video, with which YouTube creates it. */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const media = findVideo(job);
  if (!media) {
    return { state: "refused", fault: NO_VIDEO_FAULT };
  }
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now };
  const range = { offset: commitRef.offset, length: media.sizeBytes - commitRef.offset };
  const { session, httpStatus } = await sendChunk(client, job, media, commitRef.sessionUrl, range);
  switch (session.state) {
    case "complete":
      return receivedOutcome(session.video, httpStatus, sentRef);
    case "incomplete":
      return incompleteOutcome(job, sentRef, session.offset, media.sizeBytes);
    case "gone":
      // After an earlier attempt, the missing upload session may already have created a video.
      return commitRef.sendCount > 0
        ? { state: "uncertain", detail: "YouTube no longer knows the upload", httpStatus, ref: sentRef }
        : { state: "stale", detail: "YouTube no longer knows the upload" };
    case "refused":
      return { state: "refused", fault: session.fault };
    case "unclear":
      return { state: "uncertain", detail: uncertainDetail(httpStatus), httpStatus, ref: sentRef };
  }
}

/**
 * The outcome once YouTube has the video. It answers before it has processed the video, so the post is not published
 * yet.
 */
function receivedOutcome(video: Video, httpStatus: number | null, sentRef: CommitRef): CommitOutcome {
  const fault = videoFault(video, httpStatus);
  if (fault) {
    return { state: "refused", fault };
  }
  return hasEnded(video)
    ? { state: "published", remoteId: video.id, url: watchUrl(video.id) }
    : { state: "accepted", ref: { ...sentRef, videoId: video.id }, afterSeconds: FIRST_LOOK_SECONDS };
}

function uncertainDetail(httpStatus: number | null): string {
  return httpStatus === null ? "the connection broke during the last bytes" : `YouTube answered ${httpStatus}`;
}

/** The outcome if YouTube lacks bytes. There is no video yet, and the missing bytes are sent next. */
function incompleteOutcome(job: Job, sentRef: CommitRef, offset: number, totalBytes: number): CommitOutcome {
  if (offset === sentRef.offset || offset >= totalBytes) {
    return { state: "uncertain", detail: "YouTube asks for bytes that were sent", httpStatus: 308, ref: sentRef };
  }
  return totalBytes - offset > LAST_CHUNK_MAX_BYTES
    ? { state: "stale", detail: "YouTube lost most of the upload" }
    : { state: "more", ref: { ...sentRef, offset }, progress: job.progress };
}
