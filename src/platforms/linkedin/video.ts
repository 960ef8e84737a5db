import { MINUTE } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { postJson } from "#platforms/form.ts";
import { sendRange } from "#platforms/send-range.ts";
import { VideoUpload } from "./answers.ts";
import { broken, isUploadUrl, progressOf, unexpected } from "./assets.ts";
import { toFault, UPLOAD_EXPIRED } from "./errors.ts";
import { API, restHeaders } from "./hosts.ts";
import { refOf, type VideoCursor } from "./refs.ts";

/*
 * videos-api: LinkedIn cuts the file, each part goes to its own address without a token and is known by its ETag, and the
 * list of those ends the upload.
 */

const VIDEOS = `${API}/rest/videos`;
/** What one call sends before it hands over to the next alarm: 32 MiB. */
const PARTS_PER_CALL = 8;
const PART_TIMEOUT_MS = MINUTE;
const POLL_SECONDS = 4;
const MOST_RESTARTS = 2;

export async function prepareVideo(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  begun: VideoCursor | undefined,
): Promise<PrepareOutcome> {
  const step = begun ? succeeded(begun) : await initialize(client, job, media, 0);
  if (!step.ok) {
    return { state: "refused", fault: step.fault };
  }
  switch (step.value.stage) {
    case "parts":
      return await sendParts(client, job, media, step.value);
    case "finalize":
      return await finalize(client, job, media, step.value);
    case "processing":
      return await poll(client, job, step.value);
  }
}

async function initialize(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  restarts: number,
): Promise<Result<VideoCursor>> {
  const { app, accessToken, platformAccountId } = job.account;
  const body = {
    initializeUploadRequest: {
      owner: platformAccountId,
      fileSizeBytes: media.sizeBytes,
      uploadCaptions: false,
      uploadThumbnail: false,
    },
  };
  const answer = await call(client, `${VIDEOS}?action=initializeUpload`, postJson(body, restHeaders(app, accessToken)));
  const upload = isOk(answer) ? read(VideoUpload, answer)?.value : undefined;
  if (!upload) {
    return failed(isOk(answer) ? unexpected(answer) : toFault(answer, job.now));
  }
  const parts = upload.uploadInstructions.map(({ firstByte, lastByte, uploadUrl }) => ({
    firstByte,
    lastByte,
    uploadUrl,
  }));
  if (!covers(parts, media.sizeBytes) || !parts.every((part) => isUploadUrl(part.uploadUrl))) {
    return failed(unexpected(answer));
  }
  return succeeded({
    kind: "video",
    stage: "parts",
    urn: upload.video,
    token: upload.uploadToken ?? "",
    parts,
    etags: [],
    expiresAt: upload.uploadUrlsExpireAt ?? null,
    since: job.now,
    restarts,
  });
}

/** Every byte once, in order. */
function covers(parts: VideoCursor["parts"], sizeBytes: number): boolean {
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
  begun: VideoCursor,
): Promise<PrepareOutcome> {
  if (begun.expiresAt !== null && begun.expiresAt <= job.now) {
    return await restart(client, job, media, begun, null);
  }
  const etags = [...begun.etags];
  for (const part of begun.parts.slice(begun.etags.length, begun.etags.length + PARTS_PER_CALL)) {
    const sent = await sendPart(client, job, media, part);
    if (sent.ok) {
      etags.push(sent.value);
    } else if (sent.fault.code === UPLOAD_EXPIRED) {
      return await restart(client, job, media, begun, sent.fault);
    } else {
      return sent.fault.kind === "temporary" && etags.length > begun.etags.length
        ? { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...begun, etags } }
        : { state: "refused", fault: sent.fault };
    }
  }
  return etags.length < begun.parts.length
    ? { state: "again", afterSeconds: 0, cursor: { ...begun, etags } }
    : await finalize(client, job, media, { ...begun, etags, stage: "finalize" });
}

async function sendPart(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  part: VideoCursor["parts"][number],
): Promise<Result<string>> {
  const length = part.lastByte - part.firstByte + 1;
  const answer = await sendRange(
    client,
    part.uploadUrl,
    media,
    { offset: part.firstByte, length },
    {
      method: "PUT",
      headers: { "content-type": "application/octet-stream", "content-length": String(length) },
      timeoutMs: PART_TIMEOUT_MS,
    },
  );
  if (!answer) {
    return failed(broken());
  }
  const etag = answer.headers.get("etag")?.replace(/^W\//, "").replaceAll('"', "");
  if (isOk(answer)) {
    return etag ? succeeded(etag) : failed(unexpected(answer));
  }
  return failed(partFault(answer, job.now));
}

/** No token goes with a part, so a refusal of access is about its address. */
function partFault(answer: Answer, now: number): Fault {
  if (answer.status < 400) {
    return unexpected(answer);
  }
  const fault = toFault(answer, now);
  return [401, 403, 404, 410].includes(answer.status)
    ? { ...fault, kind: "temporary", code: UPLOAD_EXPIRED, category: "media" }
    : fault;
}

async function restart(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  step: VideoCursor,
  fault: Fault | null,
): Promise<PrepareOutcome> {
  if (step.restarts >= MOST_RESTARTS) {
    return { state: "refused", fault: fault ?? broken() };
  }
  const begun = await initialize(client, job, media, step.restarts + 1);
  return begun.ok ? { state: "again", afterSeconds: 0, cursor: begun.value } : { state: "refused", fault: begun.fault };
}

async function finalize(client: PlatformClient, job: Job, media: JobMedia, step: VideoCursor): Promise<PrepareOutcome> {
  const { app, accessToken } = job.account;
  const body = {
    finalizeUploadRequest: { video: step.urn, uploadToken: step.token, uploadedPartIds: step.etags },
  };
  const processing: VideoCursor = { ...step, stage: "processing", since: job.now };
  let answer: Answer;
  try {
    answer = await call(client, `${VIDEOS}?action=finalizeUpload`, postJson(body, restHeaders(app, accessToken)));
  } catch {
    // It may have arrived: the video's own state says so.
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: processing };
  }
  if (isOk(answer) || answer.status >= 500) {
    return { state: "again", afterSeconds: POLL_SECONDS, cursor: processing };
  }
  const fault = answer.status < 400 ? unexpected(answer) : toFault(answer, job.now);
  return fault.code === UPLOAD_EXPIRED || answer.status === 404
    ? await restart(client, job, media, step, fault)
    : { state: "refused", fault };
}

async function poll(client: PlatformClient, job: Job, step: VideoCursor): Promise<PrepareOutcome> {
  const progress = await progressOf(client, job, "videos", step.urn, step.since);
  switch (progress.state) {
    case "available":
    case "presumed":
      return { state: "ready", ref: refOf([step.urn], step.since) };
    case "waiting_upload":
      // The end of the upload did not arrive.
      return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...step, stage: "finalize" } };
    case "processing":
      return { state: "again", afterSeconds: POLL_SECONDS, cursor: step };
    case "unseen":
      return { state: "again", afterSeconds: progress.secondsLeft, cursor: step };
    case "refused":
      return progress;
  }
}
