import { MINUTE, SECOND } from "#core/clock.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { graphError, graphGet } from "#platforms/graph-api.ts";
import { Video } from "./answers.ts";
import { videoFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";
import { absolutePermalink } from "./permalink.ts";
import type { CommitRef } from "./refs.ts";

const POLL_SECONDS = 5;
const SLOW_POLL_SECONDS = 30;
const FAST_POLLING_MS = 2 * MINUTE;
/** When publishing has not begun by then, the visible call was not received. */
const ABSENT_AFTER_MS = 55 * SECOND;
/** The same limit while the video is processed, which precedes publishing and takes longer. */
const ABSENT_WHILE_PROCESSING_AFTER_MS = 10 * MINUTE;
/**
 * The same limit for a timeline video: its last call may take effect after minutes ("The video should be downloaded within
 * 5 minutes", developers.facebook.com/docs/graph-api/video-uploads).
 */
const ABSENT_TIMELINE_AFTER_MS = 6 * MINUTE;
const RETRY_SECONDS = 60;

/** Reads the status of a video, whose id is known before it is visible. */
export async function verifyVideo(
  client: PlatformClient,
  job: Job,
  commitRef: CommitRef,
  videoId: string,
): Promise<VerifyOutcome> {
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? job.now, commitRef.sentAt ?? 0);
  const response = await graphGet(
    client,
    `${graphUrl(job.account.app)}/${encodeURIComponent(videoId)}`,
    job.account.accessToken,
    {
      fields: "status,published,permalink_url",
    },
  );
  const video = isOk(response) ? parseBody(Video, response) : undefined;
  if (!video) {
    const error = graphError(response);
    const isGone = error?.code === 100 && error.subcode === 33 && elapsed > ABSENT_WHILE_PROCESSING_AFTER_MS;
    return isGone
      ? { state: "cannot_tell", detail: "Facebook no longer knows the video" }
      : { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: commitRef.accepted };
  }
  return videoOutcome(video, commitRef, videoId, elapsed);
}

function videoOutcome(video: Video, commitRef: CommitRef, videoId: string, elapsed: number): VerifyOutcome {
  const {
    video_status: videoStatus,
    processing_phase: processing,
    publishing_phase: publishing,
    uploading_phase: uploading,
  } = video.status ?? {};
  const isPublished =
    isDone(publishing?.status) || publishing?.publish_status === "published" || video.published === true;
  if (videoStatus === "ready" && isPublished && video.published !== false) {
    return { state: "published", remoteId: videoId, url: videoUrl(video, commitRef, videoId) };
  }
  const failedPhase = [processing, publishing, uploading].find((phase) => phase?.status === "error");
  if (failedPhase || videoStatus === "error" || videoStatus === "upload_failed") {
    const error = failedPhase?.error ?? failedPhase?.errors?.[0];
    return { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "") };
  }
  if (videoStatus === "expired") {
    return { state: "stale", detail: "the upload has expired" };
  }
  if (videoStatus === "ready" && commitRef.kind === "video") {
    if (video.published === false) {
      return elapsed > ABSENT_AFTER_MS ? { state: "refused", fault: BECAME_DRAFT_FAULT } : verifyAgain(elapsed, true);
    }
    if (!publishing) {
      return { state: "published", remoteId: videoId, url: videoUrl(video, commitRef, videoId) };
    }
  }
  if (commitRef.accepted || isInProgress(publishing?.status)) {
    return verifyAgain(elapsed, true);
  }
  const isProcessing = isInProgress(processing?.status) || isDone(processing?.status);
  const limitMs = isProcessing
    ? ABSENT_WHILE_PROCESSING_AFTER_MS
    : commitRef.kind === "video"
      ? ABSENT_TIMELINE_AFTER_MS
      : ABSENT_AFTER_MS;
  // A video can be published once only, so it is safe to send the same finish call again.
  return elapsed > limitMs ? { state: "absent" } : verifyAgain(elapsed, isProcessing, limitMs);
}

function videoUrl(video: Video, commitRef: CommitRef, videoId: string): string {
  // Timeline videos may surface as reels, so the permalink decides.
  return (
    absolutePermalink(video.permalink_url) ??
    `https://www.facebook.com/${commitRef.kind === "reel" ? `reel/${videoId}` : videoId}`
  );
}

function isDone(status: string | null | undefined): boolean {
  return status === "complete" || status === "completed";
}

function isInProgress(status: string | null | undefined): boolean {
  return status === "in_progress";
}

function verifyAgain(elapsed: number, isProcessing: boolean, limitMs = ABSENT_AFTER_MS): VerifyOutcome {
  if (!isProcessing) {
    return {
      state: "again",
      afterSeconds: Math.min(SLOW_POLL_SECONDS, Math.max(1, Math.ceil((limitMs + SECOND - elapsed) / SECOND / 2))),
      isProcessing,
    };
  }
  return {
    state: "again",
    afterSeconds: elapsed < FAST_POLLING_MS ? POLL_SECONDS : SLOW_POLL_SECONDS,
    isProcessing,
  };
}

const BECAME_DRAFT_FAULT = rejected(
  "Facebook saved the video as a draft of the Page. Publish it there, or schedule it again as a reel.",
  { httpStatus: 200 },
  { code: "became_draft", category: "platform" },
);
