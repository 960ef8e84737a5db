import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { parseBody } from "#platforms/response.ts";
import type { Fault, Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { publicPostId, PublishStatus } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { publishFailureFault, toFault } from "./errors.ts";
import { isDraft, isPublic } from "./options.ts";
import { CommitRef } from "./refs.ts";
import { verifyFromRow } from "./verify-from-row.ts";
import { verifyPhotos } from "./verify-photos.ts";

/** TikTok counts a chunk within this time; one that is not counted has not arrived. */
const BYTES_COUNTED_AFTER_MS = 10 * SECOND;
/** The public id comes within about a minute, or after hours, or never. */
const ID_WAIT_MS = MINUTE;
const ID_POLL_SECONDS = 10;
const MIN_RETRY_SECONDS = 5;
const MAX_POLL_SECONDS = 60;
const SLOW_POLL_AFTER_MS = 15 * MINUTE;
const SLOW_POLL_SECONDS = 5 * 60;
const MAX_RETRY_SECONDS = 15 * 60;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  if (commitRef.publishId === null) {
    return await verifyPhotos(client, job, commitRef);
  }
  const response = await callApi(client, "/v2/post/publish/status/fetch/", job.account.accessToken, {
    publish_id: commitRef.publishId,
  });
  const status = isSuccess(response) ? parseBody(PublishStatus, response)?.data : undefined;
  if (!status) {
    return retryOutcome(job, commitRef, isSuccess(response) ? null : toFault(response));
  }
  switch (status.status) {
    case "PUBLISH_COMPLETE":
      return completeOutcome(job, commitRef, commitRef.publishId, status);
    case "SEND_TO_USER_INBOX":
      return { state: "published", remoteId: commitRef.publishId, url: null };
    case "FAILED": {
      const fault = publishFailureFault(status.fail_reason ?? null, response.status);
      return fault
        ? { state: "refused", fault }
        : { state: "stale", detail: `TikTok could not publish it: ${String(status.fail_reason).slice(0, 100)}` };
    }
    case "PROCESSING_UPLOAD":
      return commitRef.accepted || commitRef.uploadUrl === null
        ? processingOutcome(job, commitRef)
        : checkLastChunk(job, commitRef, status);
    default:
      return processingOutcome(job, commitRef);
  }
}

/** TikTok returns the public id after moderation, and never for private posts, so the post counts as published without it in the end. */
function completeOutcome(job: Job, commitRef: CommitRef, publishId: string, status: PublishStatus): VerifyOutcome {
  const id = publicPostId(status);
  const profile = profileUrl(job.account.capabilities);
  if (id === undefined) {
    const completedAt = commitRef.completedAt ?? job.now;
    const getsId = isPublic(job.options) && !isDraft(job.options);
    return getsId && job.now < completedAt + ID_WAIT_MS
      ? { state: "again", afterSeconds: ID_POLL_SECONDS, isProcessing: true, ref: { ...commitRef, completedAt } }
      : { state: "published", remoteId: publishId, url: isDraft(job.options) ? null : profile };
  }
  const kind = job.postType === "video" ? "video" : "photo";
  return { state: "published", remoteId: id, url: profile && `${profile}/${kind}/${id}` };
}

function elapsedMs(job: Job, commitRef: CommitRef): number {
  return job.now - Math.max(job.lastCommittedAt ?? 0, commitRef.sentAt ?? 0);
}

/** TikTok has the post; processing takes from seconds to hours. */
function processingOutcome(job: Job, commitRef: CommitRef): VerifyOutcome {
  return { state: "again", afterSeconds: processingPollSeconds(elapsedMs(job, commitRef)), isProcessing: true };
}

function processingPollSeconds(elapsed: number): number {
  const pollSeconds = Math.min(MAX_POLL_SECONDS, Math.max(MIN_RETRY_SECONDS, Math.ceil(elapsed / 2 / SECOND)));
  return elapsed < SLOW_POLL_AFTER_MS ? pollSeconds : SLOW_POLL_SECONDS;
}

/** The last chunk was not confirmed: the number of stored bytes tells whether it arrived. Sending it twice creates only one post. */
function checkLastChunk(job: Job, commitRef: CommitRef, status: PublishStatus): VerifyOutcome {
  const total = job.media[0]?.sizeBytes ?? 0;
  const uploaded = status.uploaded_bytes ?? null;
  if (uploaded !== null && uploaded >= total) {
    return processingOutcome(job, commitRef);
  }
  if (uploaded === null) {
    return retryOutcome(job, commitRef, null);
  }
  if (elapsedMs(job, commitRef) < BYTES_COUNTED_AFTER_MS) {
    return { state: "again", afterSeconds: MIN_RETRY_SECONDS, isProcessing: false };
  }
  return commitRef.uploadExpired ? { state: "stale", detail: "the upload has expired" } : { state: "absent" };
}

function retryOutcome(job: Job, commitRef: CommitRef, fault: Fault | null): VerifyOutcome {
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  if (fault?.code === "not_found") {
    return { state: "cannot_tell", detail: "TikTok does not know the upload" };
  }
  const elapsed = elapsedMs(job, commitRef);
  const growingSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, 3 * Math.ceil(elapsed / SECOND)));
  // TikTok has an accepted post: one answer that is missing must not keep the next one waiting for minutes.
  const afterSeconds = commitRef.accepted ? processingPollSeconds(elapsed) : growingSeconds;
  return { state: "again", afterSeconds: fault?.retryAfterSeconds ?? afterSeconds, isProcessing: commitRef.accepted };
}
