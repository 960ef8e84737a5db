import { DAY } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { inspectMedia, type MediaInfo } from "#sandbox/inspect-media.ts";
import { blobJson, blobLimitBytes, findBlob, storeBlob } from "./blobs.ts";
import { blobCid } from "./identifiers.ts";
import { takeFromWindow } from "./rate-limits.ts";
import { invalidXrpc, xrpcError } from "./responses.ts";
import { checkServiceToken, type ServiceToken } from "./service-auth.ts";
import { findUserByName, type Pds, pdsOf } from "./test-users.ts";

/* The video service (section 3.5, rules 25 and 26; B video.mdx, lx video/defs.json, S composer/state/video.ts). */

const SERVICE_DID = "did:web:video.bsky.app";
const MAX_BYTES = 300_000_000;
const MAX_BYTES_BEFORE = 100_000_000;
const MAX_SECONDS = 180;
const VIDEOS_PER_DAY = 25;
const BYTES_PER_DAY = 10_000_000_000;

type Job = {
  readonly id: string;
  readonly login: string;
  readonly did: string;
  readonly sha256: string;
  readonly size: number;
  readonly type: MediaInfo["type"];
  readonly durationSeconds: number | null;
  readonly createdAt: number;
  /** When the caller's token expires, with which the service writes the finished blob to the PDS. */
  readonly tokenExpiresAt: number;
  /** The result of processing: null until it has ended, then empty for a stored video, or a failure code. */
  readonly result: string | null;
  readonly mimeType: string;
  readonly readsAfterEnd: number;
};

const jobKey = (id: string): string => `job:${id}`;
const fileKey = (did: string, sha256: string): string => `video:${did}:${sha256}`;

/** The refusal that the setting `video_refusal` asks for. Null if uploads are allowed. */
function refusalFor(sim: SimulatorContext): { error: string; message: string } | null {
  switch (sim.settings.extra["video_refusal"]) {
    case "unconfirmed_email":
      return { error: "unconfirmed_email", message: "Confirm your email address to upload videos" };
    case "daily_limit":
      return { error: "daily_limit", message: "User has exceeded daily upload videos limit" };
    default:
      return null;
  }
}

const pdsOfToken = (sim: SimulatorContext, token: ServiceToken): Pds | null => {
  const user = findUserByName(token.login);
  return user ? pdsOf(sim, user) : null;
};

const videosLeft = (sim: SimulatorContext, did: string, count: number) =>
  takeFromWindow(sim, `videos:${did}`, Number(sim.settings.extra["videos_per_day"] ?? VIDEOS_PER_DAY), DAY, count);

/** Handles `GET app.bsky.video.getUploadLimits`. */
export function getUploadLimits(request: Request, sim: SimulatorContext): Response {
  const token = checkServiceToken(request, sim, () => SERVICE_DID, "app.bsky.video.getUploadLimits");
  if (token instanceof Response) {
    return token;
  }
  if (sim.settings.extra["video_refusal"] === "profile_not_found") {
    return xrpcError(401, "profile_not_found", "Profile not found");
  }
  const { remaining } = videosLeft(sim, token.did, 0);
  const refusal =
    refusalFor(sim) ??
    (remaining > 0 ? null : { error: "daily_limit", message: "User has exceeded daily upload videos limit" });
  return Response.json({
    canUpload: refusal === null,
    remainingDailyVideos: refusal === null ? remaining : 0,
    remainingDailyBytes: refusal === null ? BYTES_PER_DAY : 0,
    ...refusal,
  });
}

/** The refusal of an upload, in the form of a job without an id. */
const refuseUpload = (did: string, error: string, message: string): Response =>
  Response.json({ jobId: "", did, state: "JOB_STATE_FAILED", error, message }, { status: 400 });

/**
 * The answer with a job. Documents and lexicon disagree: the job is bare, or inside `jobStatus` with the setting
 * `video_response: "wrapped"`.
 */
function jobResponse(sim: SimulatorContext, job: JsonObject, status = 200): Response {
  const isWrapped = sim.settings.extra["video_response"] === "wrapped";
  return Response.json(isWrapped ? { jobStatus: job } : job, { status });
}

function findUploadProblem(sim: SimulatorContext, request: Request, did: string): Response | null {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  const usualMaxBytes = sim.settings.extra["old_limits"] === true ? MAX_BYTES_BEFORE : MAX_BYTES;
  const maxBytes = Number(sim.settings.extra["video_max_bytes"] ?? usualMaxBytes);
  if (request.headers.get("content-type") !== "video/mp4") {
    return invalidXrpc("Wrong request encoding (Content-Type): video/mp4 expected");
  }
  const refusal = refusalFor(sim);
  if (refusal) {
    return refuseUpload(did, refusal.error, refusal.message);
  }
  return declared > maxBytes
    ? refuseUpload(
        did,
        "file_too_large",
        `file size (${declared} bytes) is larger than the maximum allowed size (${maxBytes} bytes)`,
      )
    : null;
}

/** Handles `POST app.bsky.video.uploadVideo`. */
export async function uploadVideo(request: Request, sim: SimulatorContext, query: URLSearchParams): Promise<Response> {
  const ownPds = (token: ServiceToken): string => pdsOfToken(sim, token)?.did ?? "";
  const token = checkServiceToken(request, sim, ownPds, "com.atproto.repo.uploadBlob");
  if (token instanceof Response) {
    return token;
  }
  const { did, login } = token;
  if (query.get("did") !== did) {
    return xrpcError(401, "AuthenticationRequired", "The token belongs to another account");
  }
  const problem = findUploadProblem(sim, request, did);
  if (problem || !request.body) {
    return problem ?? invalidXrpc("A request body is expected but none was provided");
  }
  const { sha256, size, head } = await sim.digest(request.body);
  if (size !== Number(request.headers.get("content-length"))) {
    return invalidXrpc("The body does not have the length of Content-Length");
  }
  const knownId = sim.store.get<string>(fileKey(did, sha256));
  const known = knownId === undefined ? undefined : sim.store.get<Job>(jobKey(knownId));
  if (known?.result === "" && findBlob(sim, did, blobCid(sha256))) {
    const more = { error: "already_exists", message: "Video already processed" };
    return jobResponse(sim, { jobId: known.id, did, state: "JOB_STATE_COMPLETED", ...more }, 409);
  }
  if (!videosLeft(sim, did, 1).allowed) {
    return refuseUpload(did, "daily_limit", "User has exceeded daily upload videos limit");
  }
  const { type, durationSeconds } = inspectMedia(head);
  const job: Job = {
    id: sim.newId(16),
    login,
    did,
    sha256,
    size,
    type,
    durationSeconds,
    createdAt: sim.now(),
    tokenExpiresAt: token.expiresAt,
    result: null,
    mimeType: "video/mp4",
    readsAfterEnd: 0,
  };
  sim.store.put(jobKey(job.id), job);
  sim.store.put(fileKey(did, sha256), job.id);
  return jobResponse(sim, { jobId: job.id, did, state: "JOB_STATE_CREATED" });
}

/** The lexicon's code for a job that fails. Empty for one that succeeds. */
function findFailure(sim: SimulatorContext, job: Job, endedAt: number): string {
  const { video_failure, video_max_seconds } = sim.settings.extra;
  if (typeof video_failure === "string") {
    return video_failure;
  }
  const maxSeconds = Number(video_max_seconds ?? MAX_SECONDS);
  if (job.type !== "video/mp4" || (job.durationSeconds !== null && job.durationSeconds > maxSeconds)) {
    return "validation_failure";
  }
  const user = findUserByName(job.login);
  if (!user || job.tokenExpiresAt <= endedAt) {
    return "pds_upload_failure";
  }
  return job.size > blobLimitBytes(sim, pdsOf(sim, user)) ? "pds_upload_unsupported_blob_size" : "";
}

/** Handles `GET app.bsky.video.getJobStatus`, which needs no authentication. */
export function getJobStatus(sim: SimulatorContext, query: URLSearchParams): Response {
  const stored = sim.store.get<Job>(jobKey(query.get("jobId") ?? ""));
  if (!stored) {
    return invalidXrpc("Job not found");
  }
  const { id: jobId, did } = stored;
  const { processing_ms } = sim.settings;
  const endedAt = stored.createdAt + processing_ms;
  if (stored.result === null && endedAt > sim.now()) {
    const progress = Math.floor(((sim.now() - stored.createdAt) / processing_ms) * 100);
    const state = progress < 50 ? "JOB_STATE_ENCODING" : "JOB_STATE_SCANNING";
    return Response.json({ jobStatus: { jobId, did, state, progress } });
  }
  const job: Job = {
    ...stored,
    result: stored.result ?? findFailure(sim, stored, endedAt),
    readsAfterEnd: stored.readsAfterEnd + 1,
  };
  if (stored.result === null && job.result === "") {
    storeBlob(sim, did, job);
  }
  sim.store.put(jobKey(jobId), job);
  if (job.result !== "") {
    const failure = { error: "processing failed", failureCode: job.result ?? "", message: "Video processing failed" };
    return Response.json({ jobStatus: { jobId, did, state: "JOB_STATE_FAILED", ...failure } });
  }
  const isBlobLate = sim.settings.extra["video_without_blob"] === true && job.readsAfterEnd === 1;
  const completed = { jobId, did, state: "JOB_STATE_COMPLETED", progress: 100 };
  return Response.json({
    jobStatus: { ...completed, ...(!isBlobLate && { blob: blobJson(blobCid(job.sha256), job) }) },
  });
}
