import { MINUTE, SECOND } from "#core/clock.ts";
import type { Fault, Job, JobMedia, PlatformClient, PrepareOutcome, Result } from "#platforms/contract.ts";
import { failed, rateLimited, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, type PlatformResponse, faultOf } from "#platforms/response.ts";
import { sendRange } from "#platforms/send-range.ts";
import {
  type Blob,
  ServerDescription,
  ServiceAuth,
  UploadLimits,
  type VideoJob,
  VideoJobAnswer,
  VideoRefusal,
} from "./answers.ts";
import type { AccountServer } from "./api.ts";
import { refusalMessage, toFault } from "./errors.ts";
import { VIDEO_ORIGIN, VIDEO_SERVICE_DID } from "./hosts.ts";
import type { Cursor } from "./refs.ts";

/**
 * How long (s) the video service may upload in the account's name, until it has stored the processed file. Servers
 * accept an hour at most.
 */
const UPLOAD_PERMISSION_SECONDS = 1800;
const UPLOAD_TIMEOUT_MS = 4 * MINUTE;
const FIRST_POLL_SECONDS = 2;
const POLL_SECONDS = 5;
const PROCESSING_DEADLINE_MS = 45 * MINUTE;
const MAX_UPLOADS = 3;
const MAX_POLL_FAILURES = 5;
const QUOTA_RETRY_SECONDS = 3600;

type VideoOutcome = PrepareOutcome | { readonly state: "processed"; readonly blob: Blob };

const refused = (fault: Fault): VideoOutcome => ({ state: "refused", fault });

/** Sends a file to the video service, which processes it and stores the result on the account's server. */
export async function prepareVideo(
  client: PlatformClient,
  server: AccountServer,
  job: Job,
  media: JobMedia,
  cursor: Cursor | null,
): Promise<VideoOutcome> {
  return cursor?.jobId
    ? await pollJob(client, job, cursor, cursor.jobId)
    : await upload(client, server, job, media, cursor?.uploadCount ?? 0);
}

async function upload(
  client: PlatformClient,
  server: AccountServer,
  job: Job,
  media: JobMedia,
  uploadCount: number,
): Promise<VideoOutcome> {
  const limit = await checkUploadLimits(client, server, job, media);
  if (limit) {
    return refused(limit);
  }
  const description = await server.call("com.atproto.server.describeServer");
  const audience = isOk(description) ? parseBody(ServerDescription, description)?.did : undefined;
  if (audience === undefined) {
    return refused(unexpected(description, job.now));
  }
  const permission = await requestServiceAuth(server, job, {
    aud: audience,
    lxm: "com.atproto.repo.uploadBlob",
    exp: Math.floor(job.now / SECOND) + UPLOAD_PERMISSION_SECONDS,
  });
  if (!permission.ok) {
    return refused(permission.fault);
  }
  const url = withQuery(`${VIDEO_ORIGIN}/xrpc/app.bsky.video.uploadVideo`, {
    did: server.session.did,
    name: `${job.postId}.mp4`,
  });
  const response = await sendRange(
    client,
    url,
    media,
    { offset: 0, length: media.sizeBytes },
    {
      method: "POST",
      headers: {
        ...bearerHeader(permission.value),
        "content-type": media.contentType,
        "content-length": String(media.sizeBytes),
      },
      timeoutMs: UPLOAD_TIMEOUT_MS,
    },
  );
  if (!response) {
    return refused(temporary("The connection to the video service broke during the upload.", { httpStatus: null }));
  }
  // If the video service already has the file, it answers with an error status and the finished job.
  const accepted = parseBody(VideoJobAnswer, response);
  if (accepted?.blob) {
    return { state: "processed", blob: accepted.blob };
  }
  return accepted?.jobId
    ? {
        state: "again",
        afterSeconds: FIRST_POLL_SECONDS,
        cursor: {
          jobId: accepted.jobId,
          processingSince: job.now,
          uploadCount: uploadCount + 1,
          failureCount: 0,
        } satisfies Cursor,
      }
    : refused(uploadFault(response, job.now));
}

/** Asks whether the video service accepts a further video. Null if it does. */
async function checkUploadLimits(
  client: PlatformClient,
  server: AccountServer,
  job: Job,
  media: JobMedia,
): Promise<Fault | null> {
  const permission = await requestServiceAuth(server, job, {
    aud: VIDEO_SERVICE_DID,
    lxm: "app.bsky.video.getUploadLimits",
  });
  if (!permission.ok) {
    return permission.fault;
  }
  const response = await callPlatform(client, `${VIDEO_ORIGIN}/xrpc/app.bsky.video.getUploadLimits`, {
    headers: bearerHeader(permission.value),
  });
  const limits = isOk(response) ? parseBody(UploadLimits, response) : undefined;
  if (!limits) {
    return isOk(response) ? unexpected(response, job.now) : uploadFault(response, job.now);
  }
  const source = { httpStatus: response.status };
  if (limits.remainingDailyVideos === 0 || (limits.remainingDailyBytes ?? media.sizeBytes) < media.sizeBytes) {
    return quotaUsedUp(source);
  }
  return limits.canUpload
    ? null
    : rejected(refusalMessage("The video service does not accept videos of this account", limits.message), source, {
        code: "not_permitted",
        category: "permission",
      });
}

/** Gets a token with which another service may call one method in the account's name. */
async function requestServiceAuth(server: AccountServer, job: Job, query: RequestFields): Promise<Result<string>> {
  const response = await server.call("com.atproto.server.getServiceAuth", {}, query);
  const token = isOk(response) ? parseBody(ServiceAuth, response)?.token : undefined;
  return token === undefined ? failed(unexpected(response, job.now)) : succeeded(token);
}

async function pollJob(client: PlatformClient, job: Job, cursor: Cursor, jobId: string): Promise<VideoOutcome> {
  const response = await callPlatform(
    client,
    withQuery(`${VIDEO_ORIGIN}/xrpc/app.bsky.video.getJobStatus`, { jobId }),
  ).catch(() => null);
  const status = response && isOk(response) ? parseBody(VideoJobAnswer, response) : undefined;
  if (status?.blob) {
    return { state: "processed", blob: status.blob };
  }
  if (status?.state === "JOB_STATE_FAILED") {
    return failedJob(status, cursor);
  }
  if (!status) {
    return unansweredPoll(response, job, cursor);
  }
  return job.now - cursor.processingSince > PROCESSING_DEADLINE_MS
    ? refused(
        rejected(
          "The video service did not finish processing the video in time.",
          { httpStatus: response?.status ?? null, platformCode: null },
          { code: "processing_failed", category: "platform", whoMustAct: "platform" },
        ),
      )
    : { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, failureCount: 0 } satisfies Cursor };
}

/**
 * Handles a status call without a usable answer: starts a job again that the service no longer knows, or asks again.
 */
function unansweredPoll(response: PlatformResponse | null, job: Job, cursor: Cursor): VideoOutcome {
  if ((response?.status === 400 || response?.status === 404) && cursor.uploadCount < MAX_UPLOADS) {
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, jobId: null } satisfies Cursor };
  }
  if (cursor.failureCount < MAX_POLL_FAILURES) {
    const next: Cursor = { ...cursor, failureCount: cursor.failureCount + 1 };
    return { state: "again", afterSeconds: POLL_SECONDS * 2 ** cursor.failureCount, cursor: next };
  }
  return refused(
    response ? unexpected(response, job.now) : temporary("The video service does not answer.", { httpStatus: null }),
  );
}

/**
 * The outcome of a failed video job. Faults of the service and of the account server's storage are temporary; faults of
 * the file are not.
 */
function failedJob(status: VideoJob, cursor: Cursor): VideoOutcome {
  const code = status.failureCode ?? "";
  const isLasting = ["validation_failure", "encoding_failure", "pds_upload_unsupported_blob_size"].includes(code);
  if (!isLasting && cursor.uploadCount < MAX_UPLOADS) {
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, jobId: null } satisfies Cursor };
  }
  const source = { httpStatus: 200, platformCode: /^[a-z_]{1,60}$/.test(code) ? code : null };
  return refused(
    code === "pds_upload_unsupported_blob_size"
      ? rejected("The account's server does not accept files as large as this video.", source, {
          code: "media_too_large",
          category: "media",
        })
      : rejected(refusalMessage("The video service could not process the video", status.message), source, {
          code: isLasting ? "media_invalid" : "processing_failed",
          category: "media",
        }),
  );
}

/** The fault of a refused upload. The service's own words decide, because its statuses are not documented. */
function uploadFault(response: PlatformResponse, now: number): Fault {
  const { error, message } = parseBody(VideoRefusal, response) ?? {};
  const source = { httpStatus: response.status, platformCode: toPlatformCode(error) };
  const text = `${error ?? ""} ${message ?? ""}`;
  if (/unconfirmed_email|confirm your email/i.test(text)) {
    return rejected("Confirm the e-mail address of the account before it can post videos.", source, {
      code: "not_permitted",
      category: "permission",
    });
  }
  if (/daily upload/i.test(text)) {
    return quotaUsedUp(source);
  }
  if (/larger than the maximum/i.test(text)) {
    return rejected("The video service refused the file as too large.", source, {
      code: "media_too_large",
      category: "media",
    });
  }
  if (/profile_not_found/.test(text)) {
    return rejected("The video service does not know the account; open it in the app once.", source, {
      code: "not_permitted",
      category: "permission",
    });
  }
  return unexpected(response, now);
}

function toPlatformCode(error: string | null | undefined): string | null {
  return error && /^[A-Za-z_]{1,60}$/.test(error) ? error : null;
}

function quotaUsedUp(source: { readonly httpStatus: number }): Fault {
  return rateLimited(
    "The account has used up its videos of this day.",
    { ...source, retryAfterSeconds: QUOTA_RETRY_SECONDS },
    { code: "daily_cap_reached", category: "quota", whoMustAct: "user" },
  );
}

function unexpected(response: PlatformResponse, now: number): Fault {
  return faultOf(response, "A server returned an unexpected response.", (refusal) => toFault(refusal, now));
}
