import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { read } from "#platforms/answer.ts";
import type { Fault, Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { Status } from "./answers.ts";
import { ask, isGranted } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { failFault, toFault } from "./errors.ts";
import { isDraft } from "./options.ts";
import { Ref } from "./refs.ts";
import { findPhotos } from "./verify-photos.ts";

/** A last piece that is not counted by then has not arrived. */
const COUNTED_MS = 10 * SECOND;
const SOONEST_SECONDS = 5;
const LONGEST_SECONDS = 60;
const SLOW_FROM_MS = 15 * MINUTE;
const SLOW_SECONDS = 5 * 60;
const LATEST_SECONDS = 15 * 60;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  if (plan.publishId === null) {
    return await findPhotos(client, job, plan);
  }
  const answer = await ask(client, "/v2/post/publish/status/fetch/", job.account.accessToken, {
    publish_id: plan.publishId,
  });
  const status = isGranted(answer) ? read(Status, answer)?.data : undefined;
  if (!status) {
    return unanswered(job, plan, isGranted(answer) ? null : toFault(answer));
  }
  switch (status.status) {
    case "PUBLISH_COMPLETE":
      return published(job, plan.publishId, status);
    case "SEND_TO_USER_INBOX":
      return { state: "published", remoteId: plan.publishId, url: null };
    case "FAILED": {
      const fault = failFault(status.fail_reason ?? null, answer.status);
      return fault
        ? { state: "refused", fault }
        : { state: "stale", detail: `TikTok could not publish it: ${String(status.fail_reason).slice(0, 100)}` };
    }
    case "PROCESSING_UPLOAD":
      return plan.accepted || plan.uploadUrl === null ? waiting(job, plan) : doubted(job, plan, status);
    default:
      return waiting(job, plan);
  }
}

/** The public id comes after moderation, and for private posts never: the post is there without it. */
function published(job: Job, publishId: string, status: Status): VerifyOutcome {
  const [id] = status.publicaly_available_post_id ?? status.publicly_available_post_id ?? [];
  const profile = profileUrl(job.account.capabilities);
  if (id === undefined) {
    return { state: "published", remoteId: publishId, url: isDraft(job.options) ? null : profile };
  }
  const kind = job.postType === "video" ? "video" : "photo";
  return { state: "published", remoteId: id, url: profile && `${profile}/${kind}/${id}` };
}

function elapsedMs(job: Job, plan: Ref): number {
  return job.now - Math.max(job.committedAt ?? 0, plan.sentAt ?? 0);
}

/** TikTok has it: its processing takes from seconds to hours. */
function waiting(job: Job, plan: Ref): VerifyOutcome {
  const elapsed = elapsedMs(job, plan);
  const pace = Math.min(LONGEST_SECONDS, Math.max(SOONEST_SECONDS, Math.ceil(elapsed / 2 / SECOND)));
  return { state: "again", afterSeconds: elapsed < SLOW_FROM_MS ? pace : SLOW_SECONDS, known: true };
}

/** Nobody said yes to the last piece: the number of bytes tells whether it is there. Sending it twice makes one post. */
function doubted(job: Job, plan: Ref, status: Status): VerifyOutcome {
  const total = job.media[0]?.sizeBytes ?? 0;
  const uploaded = status.uploaded_bytes ?? null;
  if (uploaded !== null && uploaded >= total) {
    return waiting(job, plan);
  }
  if (uploaded === null) {
    return unanswered(job, plan, null);
  }
  if (elapsedMs(job, plan) < COUNTED_MS) {
    return { state: "again", afterSeconds: SOONEST_SECONDS, known: false };
  }
  return plan.expired ? { state: "stale", detail: "the upload has expired" } : { state: "absent" };
}

function unanswered(job: Job, plan: Ref, fault: Fault | null): VerifyOutcome {
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  if (fault?.code === "not_found") {
    return { state: "cannot_tell", detail: "TikTok does not know the upload" };
  }
  const elapsedSeconds = Math.ceil(elapsedMs(job, plan) / SECOND);
  const afterSeconds = Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, 3 * elapsedSeconds));
  return { state: "again", afterSeconds: fault?.retryAfterSeconds ?? afterSeconds, known: plan.accepted };
}
