import { systemClock } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody, faultOf } from "#platforms/response.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { sanitizeMessage, rejected, temporary, failed, succeeded } from "#platforms/fault.ts";
import { bearerHeader, postJson, withQuery } from "#platforms/request-encoding.ts";
import { UploadResponse, type UploadedMedia } from "./answers.ts";
import { CHUNK_TOO_BIG_CODE, toFault } from "./errors.ts";
import { API_ORIGIN, CALL_TIMEOUT_MS } from "./hosts.ts";
import { videoCategory } from "./limits.ts";
import { quoteMode } from "./options.ts";
import { Cursor, type CommitRef } from "./refs.ts";
import { jobOfPart } from "#platforms/thread.ts";
import { sendForm } from "#platforms/send-form.ts";
import { SENDING_PARTS_MS } from "#platforms/send-range.ts";
import { isAnimated } from "./validate.ts";

const UPLOAD_URL = `${API_ORIGIN}/2/media/upload`;
const METADATA_URL = `${API_ORIGIN}/2/media/metadata`;
const KIB = 1024;
/**
 * The size of an upload's segments (bytes). X has answered larger ones with 413 and 431 (abraham/twitteroauth issue
 * 1257).
 */
const SEGMENT_BYTES = 1024 * KIB;
const MIN_SEGMENT_BYTES = 128 * KIB;
const MAX_SEGMENTS = 1000;
/** How many segments a step sends before the next alarm continues. A slow connection ends the step earlier. */
const SEGMENTS_PER_CALL = 32;
/** How long (s) a media id is valid: one day. */
const MEDIA_LIFETIME_SECONDS = 86_400;
const PROCESSING_POLL_SECONDS = 5;
const PROCESSING_DEADLINE_MS = 30 * 60_000;
const MAX_RESTARTS = 2;

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const post = jobOfPart(job);
  const [first] = post.media;
  if (!first) {
    return readyOutcome(post, []);
  }
  if (first.type === "image" && !isAnimated(first)) {
    return await uploadImages(client, post);
  }
  const current =
    cursor === undefined
      ? await initializeUpload(client, post, first, 0)
      : { ok: true as const, value: Cursor.parse(cursor) };
  if (!current.ok) {
    return { state: "refused", fault: current.fault };
  }
  return current.value.stage === "append"
    ? await appendSegments(client, post, first, current.value)
    : await pollProcessing(client, post, first, current.value);
}

interface PreparedMedia {
  readonly id: string;
  readonly key: string | null;
  readonly expiresAt: number;
}

function readyOutcome(job: Job, media: readonly PreparedMedia[]): PrepareOutcome {
  const hasQuote = typeof job.options["quote_tweet_url"] === "string";
  const ref: CommitRef = {
    mediaIds: media.map((item) => item.id),
    mediaKeys: media.flatMap((item) => item.key ?? []),
    quote: hasQuote ? (quoteMode(job.account.app.settings) === "link" ? "link" : "native") : "none",
    sendCount: 0,
    sentAt: null,
    duplicate: false,
    missingSince: null,
  };
  return media.length === 0
    ? { state: "ready", ref }
    : { state: "ready", ref, expiresAt: Math.min(...media.map((item) => item.expiresAt)) };
}

function toPreparedMedia(job: Job, uploaded: UploadedMedia): PreparedMedia {
  return {
    id: uploaded.id,
    key: uploaded.media_key ?? null,
    expiresAt: job.now + (uploaded.expires_after_secs ?? MEDIA_LIFETIME_SECONDS) * 1000,
  };
}

async function uploadImages(client: PlatformClient, job: Job): Promise<PrepareOutcome> {
  const uploaded: PreparedMedia[] = [];
  for (const image of job.media) {
    const range = { offset: 0, length: image.sizeBytes };
    const response = await sendForm(
      client,
      UPLOAD_URL,
      { media_category: "tweet_image" },
      { field: "media", media: image, name: image.filename, range },
      { headers: bearerHeader(job.account.accessToken), timeoutMs: CALL_TIMEOUT_MS },
    );
    if (!response) {
      return { state: "refused", fault: connectionLost() };
    }
    const parsed = parseUpload(job, response);
    if (!parsed.ok) {
      return { state: "refused", fault: parsed.fault };
    }
    const fault = await describeMedia(client, job, image, parsed.value.id);
    if (fault) {
      return { state: "refused", fault };
    }
    uploaded.push(toPreparedMedia(job, parsed.value));
  }
  return readyOutcome(job, uploaded);
}

/** Sends the description of an uploaded image. Null if nothing is left to send. X accepts no descriptions of videos. */
async function describeMedia(client: PlatformClient, job: Job, media: JobMedia, id: string): Promise<Fault | null> {
  const text = media.type === "image" ? altTextOf(media) : undefined;
  if (text === undefined) {
    return null;
  }
  const response = await callPlatform(client, METADATA_URL, {
    ...postJson({ id, metadata: { alt_text: { text } } }, bearerHeader(job.account.accessToken)),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  return isOk(response) ? null : toFault(response, job.now);
}

function uploadFault(job: Job, response: PlatformResponse): Fault {
  return faultOf(response, "X returned an unexpected response to an upload.", (refusal) => toFault(refusal, job.now));
}

function parseUpload(job: Job, response: PlatformResponse): Result<UploadedMedia> {
  const uploaded = isOk(response) ? parseBody(UploadResponse, response) : undefined;
  return uploaded ? succeeded(uploaded.data) : failed(uploadFault(job, response));
}

async function initializeUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  restarts: number,
): Promise<Result<Cursor>> {
  const body = {
    media_type: media.contentType,
    media_category: media.type === "video" ? videoCategory(media, job.account.app.settings) : "tweet_gif",
    total_bytes: media.sizeBytes,
  };
  const response = await callPlatform(client, `${UPLOAD_URL}/initialize`, {
    ...postJson(body, bearerHeader(job.account.accessToken)),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const parsed = parseUpload(job, response);
  if (!parsed.ok) {
    return parsed;
  }
  const prepared = toPreparedMedia(job, parsed.value);
  return {
    ok: true,
    value: {
      stage: "append",
      ...prepared,
      offset: 0,
      segmentIndex: 0,
      segmentBytes: SEGMENT_BYTES,
      processingSince: job.now,
      restartCount: restarts,
    },
  };
}

async function appendSegments(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  startCursor: Cursor,
): Promise<PrepareOutcome> {
  const startedAt = systemClock.now();
  const mayBegin = (sent: number) => sent < SEGMENTS_PER_CALL && systemClock.now() - startedAt < SENDING_PARTS_MS;
  let cursor = startCursor;
  for (let sent = 0; mayBegin(sent) && cursor.offset < media.sizeBytes; sent++) {
    const outcome = await appendSegment(client, job, media, cursor);
    if (outcome.state === "sent") {
      cursor = outcome.cursor;
    } else if (outcome.state === "temporary" && sent > 0) {
      // X keeps the segments that it has stored, so the next step continues from this cursor.
      return { state: "again", afterSeconds: PROCESSING_POLL_SECONDS, cursor };
    } else {
      return outcome.state === "temporary" ? { state: "refused", fault: outcome.fault } : outcome;
    }
  }
  if (cursor.offset < media.sizeBytes) {
    return { state: "again", afterSeconds: 0, cursor };
  }
  return await finalizeUpload(client, job, media, cursor);
}

type AppendOutcome = { state: "sent"; cursor: Cursor } | { state: "temporary"; fault: Fault } | PrepareOutcome;

async function appendSegment(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
): Promise<AppendOutcome> {
  if (cursor.segmentIndex >= MAX_SEGMENTS) {
    return { state: "refused", fault: fileTooLarge(null) };
  }
  const length = Math.min(cursor.segmentBytes, media.sizeBytes - cursor.offset);
  const response = await sendForm(
    client,
    `${UPLOAD_URL}/${cursor.id}/append`,
    { segment_index: String(cursor.segmentIndex) },
    { field: "media", media, name: "segment", range: { offset: cursor.offset, length } },
    { headers: bearerHeader(job.account.accessToken), timeoutMs: CALL_TIMEOUT_MS },
  );
  if (!response) {
    return { state: "temporary", fault: connectionLost() };
  }
  if (isOk(response)) {
    return {
      state: "sent",
      cursor: { ...cursor, offset: cursor.offset + length, segmentIndex: cursor.segmentIndex + 1 },
    };
  }
  const fault = toFault(response, job.now);
  if (fault.code === CHUNK_TOO_BIG_CODE) {
    const smaller = cursor.segmentBytes / 2;
    return smaller < MIN_SEGMENT_BYTES
      ? { state: "refused", fault: fileTooLarge(response.status) }
      : { state: "again", afterSeconds: 0, cursor: { ...cursor, segmentBytes: smaller } };
  }
  return fault.kind === "temporary"
    ? { state: "temporary", fault }
    : restartUpload(client, job, media, cursor, response);
}

async function finalizeUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, `${UPLOAD_URL}/${cursor.id}/finalize`, {
      method: "POST",
      headers: bearerHeader(job.account.accessToken),
      timeoutMs: CALL_TIMEOUT_MS,
    });
  } catch {
    // Finalizing may have started. Reading the processing state is safe to repeat.
    return {
      state: "again",
      afterSeconds: PROCESSING_POLL_SECONDS,
      cursor: { ...cursor, stage: "processing", processingSince: job.now },
    };
  }
  if (response.status >= 500) {
    return { state: "again", afterSeconds: PROCESSING_POLL_SECONDS, cursor };
  }
  return await processingOutcome(
    client,
    job,
    media,
    { ...cursor, stage: "processing", processingSince: job.now },
    response,
  );
}

async function pollProcessing(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const response = await callPlatform(client, withQuery(UPLOAD_URL, { command: "STATUS", media_id: cursor.id }), {
    headers: bearerHeader(job.account.accessToken),
  });
  return await processingOutcome(client, job, media, cursor, response);
}

/** Reads the processing state from a response. A response without one means that the media is ready. */
async function processingOutcome(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
  response: PlatformResponse,
): Promise<PrepareOutcome> {
  const parsed = parseUpload(job, response);
  if (!parsed.ok) {
    return await restartUpload(client, job, media, cursor, response);
  }
  const info = parsed.value.processing_info;
  if (!info || info.state === "succeeded") {
    const fault = await describeMedia(client, job, media, cursor.id);
    if (fault) {
      return { state: "refused", fault };
    }
    return readyOutcome(job, [
      { id: cursor.id, key: parsed.value.media_key ?? cursor.key, expiresAt: cursor.expiresAt },
    ]);
  }
  if (info.state === "failed") {
    const reason = sanitizeMessage(info.error?.message ?? "");
    return {
      state: "refused",
      fault: rejected(
        `X could not process the media${reason === "" ? "." : `: ${reason}`}`,
        { httpStatus: response.status, platformCode: info.error?.name ?? info.error?.code?.toString() ?? null },
        { code: "media_invalid", category: "media" },
      ),
    };
  }
  if (job.now - cursor.processingSince > PROCESSING_DEADLINE_MS) {
    return {
      state: "refused",
      fault: rejected(
        "X did not finish processing the media in time.",
        { httpStatus: response.status, platformCode: info.state },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(60, Math.max(1, info.check_after_secs ?? PROCESSING_POLL_SECONDS));
  return { state: "again", afterSeconds, cursor };
}

/** Starts the upload again, a limited number of times, because X no longer knows it or lost a part of it. */
async function restartUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
  response: PlatformResponse,
): Promise<PrepareOutcome> {
  const fault = uploadFault(job, response);
  if ((response.status !== 400 && response.status !== 404) || cursor.restartCount >= MAX_RESTARTS) {
    return { state: "refused", fault };
  }
  const restarted = await initializeUpload(client, job, media, cursor.restartCount + 1);
  return restarted.ok
    ? { state: "again", afterSeconds: 0, cursor: restarted.value }
    : { state: "refused", fault: restarted.fault };
}

function connectionLost(): Fault {
  return temporary("The connection to X broke during the upload.", { httpStatus: null });
}

function fileTooLarge(httpStatus: number | null): Fault {
  return rejected("X refused the file as too large.", { httpStatus }, { code: "media_too_large", category: "media" });
}
