import { MINUTE, SECOND, systemClock } from "#core/clock.ts";
import { hostMatches } from "#core/host-patterns.ts";
import type { Fault, Job, PlatformClient, JobFile, Result, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import { rejected, temporary, failed, succeeded } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { sendRange, SENDING_PARTS_MS } from "#platforms/send-range.ts";
import { AssetStatus, FileUploadSession, VideoUploadSession } from "./answers.ts";
import { refusalMessage, toAccountFault, UPLOAD_EXPIRED_CODE } from "./errors.ts";
import { hosts, restHeaders, restUrl, API_ORIGIN, WRITE_TIMEOUT_MS } from "./hosts.ts";
import { createCommitRef, type VideoCursor } from "./refs.ts";

/** How long (ms) LinkedIn gets to process a file whose status this login may not read. */
const UNREADABLE_ASSET_WAIT_MS = 20 * SECOND;
const PROCESSING_DEADLINE_MS = 10 * MINUTE;

/** The processing state of an image, a video or a document. */
type AssetProgress =
  | { readonly state: "available" }
  /** LinkedIn has not received the file yet. */
  | { readonly state: "waiting_upload" }
  | { readonly state: "processing" }
  /** The login may not read the status, but enough time has passed, so the file counts as processed. */
  | { readonly state: "presumed_available" }
  /** The login may not read the status, so the upload must wait. */
  | { readonly state: "unreadable"; readonly waitSeconds: number }
  | { readonly state: "refused"; readonly fault: Fault };

/** Reads the processing state of a file whose upload ended at `since` (ms). */
export async function readAssetProgress(
  client: PlatformClient,
  job: Job,
  collection: "images" | "videos" | "documents",
  urn: string,
  since: number,
): Promise<AssetProgress> {
  const { app, accessToken } = job.account;
  const response = await callPlatform(client, restUrl(collection, urn), { headers: restHeaders(app, accessToken) });
  if (response.status === 403) {
    // LinkedIn lets members upload files but not read their status, so this refusal is no fault of the login.
    const waitMs = since + UNREADABLE_ASSET_WAIT_MS - job.now;
    return waitMs > 0
      ? { state: "unreadable", waitSeconds: Math.ceil(waitMs / SECOND) }
      : { state: "presumed_available" };
  }
  const asset = isOk(response) ? parseBody(AssetStatus, response) : undefined;
  if (asset?.status === "AVAILABLE") {
    return { state: "available" };
  }
  if (asset?.status === "PROCESSING_FAILED") {
    return { state: "refused", fault: processingFailed(response, asset.processingFailureReason ?? "") };
  }
  if (!asset && response.status !== 404) {
    return { state: "refused", fault: isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job) };
  }
  if (job.now - since > PROCESSING_DEADLINE_MS) {
    return { state: "refused", fault: processingTimedOut(response.status) };
  }
  return { state: asset?.status === "WAITING_UPLOAD" ? "waiting_upload" : "processing" };
}

function processingFailed(response: PlatformResponse, reason: string): Fault {
  return rejected(
    refusalMessage("LinkedIn could not process the media", reason),
    { httpStatus: response.status, platformCode: "PROCESSING_FAILED" },
    { code: "media_invalid", category: "media" },
  );
}

export function processingTimedOut(httpStatus: number | null): Fault {
  return rejected(
    "LinkedIn did not finish processing the media in time.",
    { httpStatus },
    { code: "processing_failed", category: "platform", whoMustAct: "platform" },
  );
}

export function unexpectedResponse(response: PlatformResponse): Fault {
  return temporary("LinkedIn's response is not what its documentation describes.", { httpStatus: response.status });
}

function connectionLost(): Fault {
  return temporary("The connection to LinkedIn broke during the upload.", { httpStatus: null });
}

/** Whether an upload URL is on LinkedIn's own domain. It must be, because the call contains a token or a file. */
function isTrustedUploadUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && hostMatches(hosts, parsed.hostname);
}

/** Uploads an image or a document whole, with the token (images-api, documents-api). Returns its URN. */
export async function uploadFile(
  client: PlatformClient,
  job: Job,
  collection: "images" | "documents",
  {
    contentType,
    timeoutMs = WRITE_TIMEOUT_MS,
    ...file
  }: Pick<JobFile, "sizeBytes" | "read"> & {
    readonly contentType: string;
    readonly timeoutMs?: number;
  },
): Promise<Result<string>> {
  const { app, accessToken, platformAccountId } = job.account;
  const response = await callPlatform(client, `${API_ORIGIN}/rest/${collection}?action=initializeUpload`, {
    ...postJson({ initializeUploadRequest: { owner: platformAccountId } }, restHeaders(app, accessToken)),
    timeoutMs: WRITE_TIMEOUT_MS,
  }).catch(() => null);
  if (!response) {
    return failed(connectionLost());
  }
  const session = isOk(response) ? parseBody(FileUploadSession, response)?.value : undefined;
  const urn = session?.image ?? session?.document;
  if (!session || !urn || !isTrustedUploadUrl(session.uploadUrl)) {
    return failed(isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job));
  }
  const uploadResponse = await sendRange(
    client,
    session.uploadUrl,
    file,
    { offset: 0, length: file.sizeBytes },
    {
      method: "PUT",
      headers: {
        ...bearerHeader(accessToken),
        "content-type": contentType,
        "content-length": String(file.sizeBytes),
      },
      timeoutMs,
    },
  );
  if (!uploadResponse) {
    return failed(connectionLost());
  }
  if (isOk(uploadResponse)) {
    return succeeded(urn);
  }
  return failed(uploadResponse.status < 400 ? unexpectedResponse(uploadResponse) : toAccountFault(uploadResponse, job));
}

/* Uploads a video in parts that LinkedIn defines (videos-api). Each part goes to its own URL without a token (unless
   LINKEDIN_PART_TOKEN is `send`) and returns an ETag. The list of ETags completes the upload. */

const VIDEOS_URL = `${API_ORIGIN}/rest/videos`;
/** How many parts one call of `prepare` sends, 32 MiB. The next call sends further ones. */
const PARTS_PER_CALL = 8;
const POLL_SECONDS = 4;
const MAX_RESTARTS = 2;
const PART_REFUSED_MESSAGE =
  "LinkedIn refused a part of the video. If it refuses every video, the operator has to set LINKEDIN_PART_TOKEN to send.";

export async function prepareVideo(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  storedCursor: VideoCursor | undefined,
): Promise<PrepareOutcome> {
  const cursor = storedCursor ? succeeded(storedCursor) : await initializeUpload(client, job, media, 0);
  if (!cursor.ok) {
    return { state: "refused", fault: cursor.fault };
  }
  switch (cursor.value.stage) {
    case "parts":
      return await sendParts(client, job, media, cursor.value);
    case "finalize":
      return await finalizeUpload(client, job, media, cursor.value);
    case "processing":
      return await pollProcessing(client, job, cursor.value);
  }
}

async function initializeUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  restartCount: number,
): Promise<Result<VideoCursor>> {
  const { app, accessToken, platformAccountId } = job.account;
  const body = {
    initializeUploadRequest: {
      owner: platformAccountId,
      fileSizeBytes: media.sizeBytes,
      uploadCaptions: false,
      uploadThumbnail: media.cover?.image !== undefined,
    },
  };
  const response = await callPlatform(client, `${VIDEOS_URL}?action=initializeUpload`, {
    ...postJson(body, restHeaders(app, accessToken)),
    timeoutMs: WRITE_TIMEOUT_MS,
  });
  const upload = isOk(response) ? parseBody(VideoUploadSession, response)?.value : undefined;
  if (!upload) {
    return failed(isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job));
  }
  const parts = upload.uploadInstructions.map(({ firstByte, lastByte, uploadUrl }) => ({
    firstByte,
    lastByte,
    uploadUrl,
  }));
  if (!coversWholeFile(parts, media.sizeBytes) || !parts.every((part) => isTrustedUploadUrl(part.uploadUrl))) {
    return failed(unexpectedResponse(response));
  }
  const thumbnailUrl = upload.thumbnailUploadUrl ?? null;
  if (media.cover?.image && (thumbnailUrl === null || !isTrustedUploadUrl(thumbnailUrl))) {
    return failed(unexpectedResponse(response));
  }
  return succeeded({
    kind: "video",
    stage: "parts",
    urn: upload.video,
    uploadToken: upload.uploadToken ?? "",
    parts,
    thumbnailUrl,
    etags: [],
    expiresAt: upload.uploadUrlsExpireAt ?? null,
    processingSince: job.now,
    restartCount,
  });
}

/** Whether the parts contain every byte of the file exactly once and in order. */
function coversWholeFile(parts: VideoCursor["parts"], sizeBytes: number): boolean {
  const end = parts.reduce(
    (next, part) => (part.firstByte === next && part.lastByte >= next ? part.lastByte + 1 : Number.NaN),
    0,
  );
  return end === sizeBytes;
}

async function sendParts(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: VideoCursor,
): Promise<PrepareOutcome> {
  if (cursor.expiresAt !== null && cursor.expiresAt <= job.now) {
    return await restartUpload(client, job, media, cursor, null);
  }
  const etags = [...cursor.etags];
  const startedAt = systemClock.now();
  for (const part of cursor.parts.slice(cursor.etags.length, cursor.etags.length + PARTS_PER_CALL)) {
    if (systemClock.now() - startedAt >= SENDING_PARTS_MS) {
      break;
    }
    const sent = await sendPart(client, job, media, part);
    if (sent.ok) {
      etags.push(sent.value);
    } else if (sent.fault.code === UPLOAD_EXPIRED_CODE) {
      return await restartUpload(client, job, media, cursor, sent.fault);
    } else {
      return sent.fault.kind === "temporary" && etags.length > cursor.etags.length
        ? { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, etags } }
        : { state: "refused", fault: sent.fault };
    }
  }
  return etags.length < cursor.parts.length
    ? { state: "again", afterSeconds: 0, cursor: { ...cursor, etags } }
    : await sendThumbnail(client, job, media, { ...cursor, etags });
}

/** Uploads the cover before the upload of the video is finalized. Like the parts, it needs no token. */
async function sendThumbnail(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: VideoCursor,
): Promise<PrepareOutcome> {
  const { thumbnailUrl } = cursor;
  const image = media.cover?.image;
  if (image && thumbnailUrl) {
    const { sizeBytes } = image;
    const response = await sendRange(
      client,
      thumbnailUrl,
      image,
      { offset: 0, length: sizeBytes },
      {
        method: "PUT",
        headers: { "content-type": "application/octet-stream", "content-length": String(sizeBytes) },
        timeoutMs: WRITE_TIMEOUT_MS,
      },
    );
    if (!response || !isOk(response)) {
      return { state: "refused", fault: response ? partFault(response, job) : connectionLost() };
    }
  }
  return await finalizeUpload(client, job, media, { ...cursor, stage: "finalize" });
}

async function sendPart(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  part: VideoCursor["parts"][number],
): Promise<Result<string>> {
  const { app, accessToken } = job.account;
  const length = part.lastByte - part.firstByte + 1;
  const response = await sendRange(
    client,
    part.uploadUrl,
    media,
    { offset: part.firstByte, length },
    {
      method: "PUT",
      headers: {
        ...(app.settings["PART_TOKEN"] === "send" && bearerHeader(accessToken)),
        "content-type": "application/octet-stream",
        "content-length": String(length),
      },
      timeoutMs: WRITE_TIMEOUT_MS,
    },
  );
  if (!response) {
    return failed(connectionLost());
  }
  const etag = response.headers.get("etag")?.replace(/^W\//, "").replaceAll('"', "");
  if (isOk(response)) {
    return etag ? succeeded(etag) : failed(unexpectedResponse(response));
  }
  return failed(partFault(response, job));
}

/**
 * The fault of a refused part. LinkedIn documents that parts need no token, so a refusal of access means that the
 * upload URL has expired.
 */
function partFault(response: PlatformResponse, job: Job): Fault {
  if (response.status < 400) {
    return unexpectedResponse(response);
  }
  const fault = toAccountFault(response, job);
  return [401, 403, 404, 410].includes(response.status)
    ? { ...fault, kind: "temporary", code: UPLOAD_EXPIRED_CODE, category: "media", message: PART_REFUSED_MESSAGE }
    : fault;
}

async function restartUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: VideoCursor,
  fault: Fault | null,
): Promise<PrepareOutcome> {
  if (cursor.restartCount >= MAX_RESTARTS) {
    return { state: "refused", fault: fault ?? connectionLost() };
  }
  const nextCursor = await initializeUpload(client, job, media, cursor.restartCount + 1);
  return nextCursor.ok
    ? { state: "again", afterSeconds: 0, cursor: nextCursor.value }
    : { state: "refused", fault: nextCursor.fault };
}

async function finalizeUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: VideoCursor,
): Promise<PrepareOutcome> {
  const { app, accessToken } = job.account;
  const body = {
    finalizeUploadRequest: { video: cursor.urn, uploadToken: cursor.uploadToken, uploadedPartIds: cursor.etags },
  };
  const processing: VideoCursor = { ...cursor, stage: "processing", processingSince: job.now };
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, `${VIDEOS_URL}?action=finalizeUpload`, {
      ...postJson(body, restHeaders(app, accessToken)),
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  } catch {
    // The call may have arrived in spite of the error, as the video's status will show.
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: processing };
  }
  if (isOk(response) || response.status >= 500) {
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: processing };
  }
  const fault = response.status < 400 ? unexpectedResponse(response) : toAccountFault(response, job);
  return fault.code === UPLOAD_EXPIRED_CODE || response.status === 404
    ? await restartUpload(client, job, media, cursor, fault)
    : { state: "refused", fault };
}

async function pollProcessing(client: PlatformClient, job: Job, cursor: VideoCursor): Promise<PrepareOutcome> {
  const progress = await readAssetProgress(client, job, "videos", cursor.urn, cursor.processingSince);
  switch (progress.state) {
    case "available":
    case "presumed_available":
      return { state: "ready", ref: createCommitRef([cursor.urn], cursor.processingSince) };
    case "waiting_upload":
      // The video's status shows that the finalize call did not arrive, so send it again.
      return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, stage: "finalize" } };
    case "processing":
      return { state: "again", afterSeconds: POLL_SECONDS, cursor };
    case "unreadable":
      return { state: "again", afterSeconds: progress.waitSeconds, cursor };
    case "refused":
      return progress;
  }
}
