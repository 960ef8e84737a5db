import { MINUTE, SECOND } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { graphError, graphGet } from "#platforms/graph.ts";
import { Video } from "./answers.ts";
import { permalinkOf } from "./commit.ts";
import { videoFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import type { Ref } from "./refs.ts";

const POLL_SECONDS = 5;
const SLOW_POLL_SECONDS = 30;
const FAST_POLLS_MS = 2 * MINUTE;
/** Publishing that has not begun by then was never asked for. */
const DENIAL_MS = 55 * SECOND;
/** Unless the video is being processed, which comes first and takes longer. */
const PROCESSING_MS = 10 * MINUTE;
const LATER_SECONDS = 60;

/** A video has its id before anybody sees it, and tells how far it is. */
export async function verifyVideo(
  client: PlatformClient,
  job: Job,
  plan: Ref,
  videoId: string,
): Promise<VerifyOutcome> {
  const elapsed = job.now - Math.max(job.committedAt ?? job.now, plan.sentAt ?? 0);
  const answer = await graphGet(
    client,
    `${graphOf(job.account.app)}/${encodeURIComponent(videoId)}`,
    job.account.accessToken,
    {
      fields: "status,published,permalink_url",
    },
  );
  const video = isOk(answer) ? read(Video, answer) : undefined;
  if (!video) {
    const error = graphError(answer);
    const isGone = error?.code === 100 && error.subcode === 33 && elapsed > PROCESSING_MS;
    return isGone
      ? { state: "cannot_tell", detail: "Facebook no longer knows the video" }
      : { state: "again", afterSeconds: LATER_SECONDS, known: plan.accepted };
  }
  return judge(video, plan, videoId, elapsed);
}

function judge(video: Video, plan: Ref, videoId: string, elapsed: number): VerifyOutcome {
  const {
    video_status: state,
    processing_phase: processing,
    publishing_phase: publishing,
    uploading_phase: uploading,
  } = video.status ?? {};
  const isPublished =
    isDone(publishing?.status) || publishing?.publish_status === "published" || video.published === true;
  if (state === "ready" && isPublished && video.published !== false) {
    return { state: "published", remoteId: videoId, url: urlOf(video, plan, videoId) };
  }
  const broken = [processing, publishing, uploading].find((phase) => phase?.status === "error");
  if (broken || state === "error" || state === "upload_failed") {
    const error = broken?.error ?? broken?.errors?.[0];
    return { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "") };
  }
  if (state === "expired") {
    return { state: "stale", detail: "the upload has expired" };
  }
  if (state === "ready" && plan.kind === "video") {
    if (video.published === false) {
      return elapsed > DENIAL_MS ? { state: "refused", fault: BECAME_DRAFT } : waiting(elapsed, true);
    }
    if (!publishing) {
      return { state: "published", remoteId: videoId, url: urlOf(video, plan, videoId) };
    }
  }
  if (plan.accepted || isUnderWay(publishing?.status)) {
    return waiting(elapsed, true);
  }
  const limitMs = isUnderWay(processing?.status) || isDone(processing?.status) ? PROCESSING_MS : DENIAL_MS;
  // One video cannot become two posts, so the same finish may be sent again.
  return elapsed > limitMs ? { state: "absent" } : waiting(elapsed, limitMs === PROCESSING_MS);
}

function urlOf(video: Video, plan: Ref, videoId: string): string {
  return plan.kind === "reel"
    ? `https://www.facebook.com/reel/${videoId}`
    : (permalinkOf(video.permalink_url) ?? `https://www.facebook.com/${videoId}`);
}

function isDone(status: string | null | undefined): boolean {
  return status === "complete" || status === "completed";
}

function isUnderWay(status: string | null | undefined): boolean {
  return status === "in_progress";
}

function waiting(elapsed: number, known: boolean): VerifyOutcome {
  if (!known) {
    return { state: "again", afterSeconds: Math.max(1, Math.ceil((DENIAL_MS + SECOND - elapsed) / SECOND / 2)), known };
  }
  return { state: "again", afterSeconds: elapsed < FAST_POLLS_MS ? POLL_SECONDS : SLOW_POLL_SECONDS, known };
}

const BECAME_DRAFT = rejected(
  "Facebook kept the video as a draft of the Page. Publish it there, or schedule it again as a reel.",
  { httpStatus: 200 },
  { code: "became_draft", category: "platform" },
);
