import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Fault, Job, JobMedia, PlatformClient, PrepareOutcome } from "#platforms/contract.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { rejected, temporary } from "#platforms/fault.ts";
import { type PlatformResponse, isOk, parseBody, faultOf } from "#platforms/response.ts";
import { sendForm } from "#platforms/send-form.ts";
import { jobOfPart } from "#platforms/thread.ts";
import { MediaAttachment } from "./answers.ts";
import { type Server, accountServer, callServer, serverHeaders, serverUrl } from "./api.ts";
import { toMediaFault } from "./errors.ts";
import { readCapabilities } from "./limits.ts";
import { type CommitRef, Cursor } from "./refs.ts";

/**
 * The timeout (ms) of an upload: `timeoutInterval` of Mastodon+API+V2+Media.swift in
 * https://github.com/mastodon/mastodon-ios.
 */
const UPLOAD_TIMEOUT_MS = 3 * MINUTE;
/** How long (ms) uploaded media are used. Servers delete unused media that are older than a day, once every night. */
const MEDIA_LIFETIME_MS = 20 * HOUR;
const PROCESSING_DEADLINE_MS = 30 * MINUTE;
const MAX_RESTARTS = 2;
const FAST_POLL_SECONDS = 3;
const POLL_SECONDS = 20;
/** How long (ms) polls are frequent at first, because an animated GIF or a short video takes only seconds. */
const FAST_POLLING_MS = 30 * SECOND;

/** Uploads one file per step and then waits until the server has processed them all. */
export async function prepare(
  client: PlatformClient,
  target: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const job = jobOfPart(target);
  if (job.media.length === 0) {
    return { state: "ready", ref: createRef([]) };
  }
  const current = cursor === undefined ? newCursor(job, 0) : Cursor.parse(cursor);
  const server = accountServer(job.account);
  const next = job.media[current.uploads.length];
  return next
    ? await uploadFile(client, job, server, next, current)
    : await pollProcessing(client, job, server, current);
}

function newCursor(job: Job, restartCount: number): Cursor {
  return { uploads: [], startedAt: job.now, processingSince: job.now, restartCount };
}

function createRef(mediaIds: readonly string[]): CommitRef {
  return { mediaIds: [...mediaIds], sendCount: 0, sentAt: null, createdId: null, refusal: null };
}

async function uploadFile(
  client: PlatformClient,
  job: Job,
  server: Server,
  media: JobMedia,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const description = altText(job, media, cursor.uploads.length);
  const response = await sendForm(
    client,
    serverUrl(server, "/api/v2/media"),
    description === null ? {} : { description },
    { field: "file", media, name: media.filename, range: { offset: 0, length: media.sizeBytes } },
    { headers: serverHeaders(server), timeoutMs: UPLOAD_TIMEOUT_MS },
  );
  if (!response) {
    const fault = temporary("The connection to the server broke during the upload.", { httpStatus: null });
    return { state: "refused", fault };
  }
  const uploaded = isOk(response) ? parseBody(MediaAttachment, response) : undefined;
  if (!uploaded) {
    return { state: "refused", fault: uploadFault(response, job) };
  }
  // Only Mastodon's status tells whether the file is processed: other programs with this API always answer 202.
  const isReady = response.status === 200 || (isOtherSoftware(job) && Boolean(uploaded.url));
  return progress(job, { ...cursor, uploads: [...cursor.uploads, { id: uploaded.id, isReady }] });
}

function uploadFault(response: PlatformResponse, job: Job): Fault {
  const missing = "The server returned an unexpected response to an upload.";
  return faultOf(response, missing, (refusal) => toMediaFault(refusal, job.now));
}

/** The description of a medium. The option replaces the post's description for this account. */
function altText(job: Job, media: JobMedia, index: number): string | null {
  const altTexts = job.options["alt_texts"];
  const text = Array.isArray(altTexts) ? altTexts[index] : null;
  return typeof text === "string" && text.trim() !== "" ? text : (altTextOf(media) ?? null);
}

function isOtherSoftware(job: Job): boolean {
  return readCapabilities(job.account.capabilities).software === "other";
}

function progress(job: Job, cursor: Cursor): PrepareOutcome {
  if (cursor.uploads.length < job.media.length) {
    return { state: "again", afterSeconds: 0, cursor };
  }
  return cursor.uploads.every((upload) => upload.isReady)
    ? {
        state: "ready",
        ref: createRef(cursor.uploads.map((upload) => upload.id)),
        expiresAt: cursor.startedAt + MEDIA_LIFETIME_MS,
      }
    : { state: "again", afterSeconds: FAST_POLL_SECONDS, cursor: { ...cursor, processingSince: job.now } };
}

async function pollProcessing(
  client: PlatformClient,
  job: Job,
  server: Server,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const upload = cursor.uploads.find(({ isReady }) => !isReady);
  if (!upload) {
    return progress(job, cursor);
  }
  const response = await callServer(client, server, `/api/v1/media/${encodeURIComponent(upload.id)}`);
  // HTTP status 206 means here that the server is still processing the file.
  if (response.status === 206) {
    return stillProcessing(job, cursor);
  }
  if (isOk(response) && parseBody(MediaAttachment, response)) {
    const uploads = cursor.uploads.map((each) => (each === upload ? { ...each, isReady: true } : each));
    return progress(job, { ...cursor, uploads });
  }
  if (response.status === 404) {
    return cursor.restartCount < MAX_RESTARTS
      ? { state: "again", afterSeconds: 1, cursor: newCursor(job, cursor.restartCount + 1) }
      : { state: "refused", fault: mediaLost(response.status) };
  }
  return { state: "refused", fault: uploadFault(response, job) };
}

function stillProcessing(job: Job, cursor: Cursor): PrepareOutcome {
  const elapsed = job.now - cursor.processingSince;
  return elapsed > PROCESSING_DEADLINE_MS
    ? {
        state: "refused",
        fault: rejected(
          "The server did not finish processing the media in time.",
          { httpStatus: 206 },
          { code: "processing_failed", category: "media", whoMustAct: "platform" },
        ),
      }
    : { state: "again", afterSeconds: elapsed < FAST_POLLING_MS ? FAST_POLL_SECONDS : POLL_SECONDS, cursor };
}

function mediaLost(httpStatus: number): Fault {
  return rejected(
    "The server lost the uploaded media several times.",
    { httpStatus },
    { code: "processing_failed", category: "media", whoMustAct: "platform" },
  );
}
