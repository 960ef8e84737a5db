import type { JsonValue } from "#core/json.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { quoted, rejected, temporary } from "#platforms/fault.ts";
import { bearer, postJson, withQuery } from "#platforms/form.ts";
import { UploadAnswer, type Uploaded } from "./answers.ts";
import { CHUNK_TOO_BIG, toFault } from "./errors.ts";
import { API } from "./hosts.ts";
import { quoteMode } from "./options.ts";
import { Cursor, type Ref } from "./refs.ts";
import { sendForm } from "./send-form.ts";
import { isAnimated } from "./validate.ts";

const UPLOAD = `${API}/2/media/upload`;
const KIB = 1024;
/** Larger ones have been answered with 413 and 431 (abraham/twitteroauth issue 1257). */
const SEGMENT_BYTES = 1024 * KIB;
const SMALLEST_SEGMENT_BYTES = 128 * KIB;
const MOST_SEGMENTS = 1000;
/** What one call sends before it hands over to the next alarm: seconds on a good line, within a minute on a poor one. */
const SEGMENTS_PER_CALL = 32;
const APPEND_TIMEOUT_MS = 15_000;
/** A media id lives a day. */
const MEDIA_LIFETIME_SECONDS = 86_400;
const PROCESSING_POLL_SECONDS = 5;
const PROCESSING_DEADLINE_MS = 30 * 60_000;
const MOST_RESTARTS = 2;

type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return ready(job, []);
  }
  if (first.type === "image" && !isAnimated(first)) {
    return await uploadImages(client, job);
  }
  const upload =
    cursor === undefined ? await initialize(client, job, first, 0) : { ok: true as const, value: Cursor.parse(cursor) };
  if (!upload.ok) {
    return { state: "refused", fault: upload.fault };
  }
  return upload.value.stage === "append"
    ? await append(client, job, first, upload.value)
    : await poll(client, job, first, upload.value);
}

interface Media {
  readonly id: string;
  readonly key: string | null;
  readonly expiresAt: number;
}

function ready(job: Job, media: readonly Media[]): PrepareOutcome {
  const quotes = typeof job.options["quote_tweet_url"] === "string";
  const ref: Ref = {
    mediaIds: media.map((item) => item.id),
    mediaKeys: media.flatMap((item) => item.key ?? []),
    quote: quotes ? (quoteMode(job.account.app.settings) === "link" ? "link" : "native") : "none",
    sends: 0,
    sentAt: null,
    duplicate: false,
  };
  return media.length === 0
    ? { state: "ready", ref }
    : { state: "ready", ref, expiresAt: Math.min(...media.map((item) => item.expiresAt)) };
}

function mediaOf(job: Job, uploaded: Uploaded): Media {
  return {
    id: uploaded.id,
    key: uploaded.media_key ?? null,
    expiresAt: job.now + (uploaded.expires_after_secs ?? MEDIA_LIFETIME_SECONDS) * 1000,
  };
}

async function uploadImages(client: PlatformClient, job: Job): Promise<PrepareOutcome> {
  const uploaded: Media[] = [];
  for (const image of job.media) {
    const range = { offset: 0, length: image.sizeBytes };
    const answer = await sendForm(
      client,
      UPLOAD,
      { media_category: "tweet_image" },
      { media: image, name: image.filename, range },
      { headers: bearer(job.account.accessToken) },
    );
    if (!answer) {
      return { state: "refused", fault: broken() };
    }
    const step = readUpload(job, answer);
    if (!step.ok) {
      return { state: "refused", fault: step.fault };
    }
    uploaded.push(mediaOf(job, step.value));
  }
  return ready(job, uploaded);
}

function readUpload(job: Job, answer: Answer): Step<Uploaded> {
  const uploaded = isOk(answer) ? read(UploadAnswer, answer) : undefined;
  if (uploaded) {
    return { ok: true, value: uploaded.data };
  }
  return {
    ok: false,
    fault: isOk(answer)
      ? temporary("X answered an upload with something else than its document says.", { httpStatus: answer.status })
      : toFault(answer, job.now),
  };
}

async function initialize(client: PlatformClient, job: Job, media: JobMedia, restarts: number): Promise<Step<Cursor>> {
  const body = {
    media_type: media.contentType,
    media_category: media.type === "video" ? "tweet_video" : "tweet_gif",
    total_bytes: media.sizeBytes,
  };
  const answer = await call(client, `${UPLOAD}/initialize`, postJson(body, bearer(job.account.accessToken)));
  const step = readUpload(job, answer);
  if (!step.ok) {
    return step;
  }
  const begun = mediaOf(job, step.value);
  return {
    ok: true,
    value: {
      stage: "append",
      ...begun,
      offset: 0,
      segment: 0,
      segmentBytes: SEGMENT_BYTES,
      since: job.now,
      restarts,
    },
  };
}

async function append(client: PlatformClient, job: Job, media: JobMedia, begun: Cursor): Promise<PrepareOutcome> {
  let upload = begun;
  for (let sent = 0; sent < SEGMENTS_PER_CALL && upload.offset < media.sizeBytes; sent++) {
    const outcome = await appendOne(client, job, media, upload);
    if (outcome.state === "sent") {
      upload = outcome.upload;
    } else if (outcome.state === "passing" && sent > 0) {
      // What X has taken is not sent again: the next call goes on from here.
      return { state: "again", afterSeconds: PROCESSING_POLL_SECONDS, cursor: upload };
    } else {
      return outcome.state === "passing" ? { state: "refused", fault: outcome.fault } : outcome;
    }
  }
  if (upload.offset < media.sizeBytes) {
    return { state: "again", afterSeconds: 0, cursor: upload };
  }
  return await finalize(client, job, media, upload);
}

type Appended = { state: "sent"; upload: Cursor } | { state: "passing"; fault: Fault } | PrepareOutcome;

async function appendOne(client: PlatformClient, job: Job, media: JobMedia, upload: Cursor): Promise<Appended> {
  if (upload.segment >= MOST_SEGMENTS) {
    return { state: "refused", fault: tooLarge(null) };
  }
  const length = Math.min(upload.segmentBytes, media.sizeBytes - upload.offset);
  const answer = await sendForm(
    client,
    `${UPLOAD}/${upload.id}/append`,
    { segment_index: String(upload.segment) },
    { media, name: "segment", range: { offset: upload.offset, length } },
    { headers: bearer(job.account.accessToken), timeoutMs: APPEND_TIMEOUT_MS },
  );
  if (!answer) {
    return { state: "passing", fault: broken() };
  }
  if (isOk(answer)) {
    return { state: "sent", upload: { ...upload, offset: upload.offset + length, segment: upload.segment + 1 } };
  }
  const fault = toFault(answer, job.now);
  if (fault.code === CHUNK_TOO_BIG) {
    const smaller = upload.segmentBytes / 2;
    return smaller < SMALLEST_SEGMENT_BYTES
      ? { state: "refused", fault: tooLarge(answer.status) }
      : { state: "again", afterSeconds: 0, cursor: { ...upload, segmentBytes: smaller } };
  }
  return fault.kind === "temporary" ? { state: "passing", fault } : forgotten(client, job, media, upload, answer);
}

async function finalize(client: PlatformClient, job: Job, media: JobMedia, upload: Cursor): Promise<PrepareOutcome> {
  let answer: Answer;
  try {
    answer = await call(client, `${UPLOAD}/${upload.id}/finalize`, {
      method: "POST",
      headers: bearer(job.account.accessToken),
    });
  } catch {
    // Finalizing may have begun: its state says so, and asking is repeatable.
    return {
      state: "again",
      afterSeconds: PROCESSING_POLL_SECONDS,
      cursor: { ...upload, stage: "processing", since: job.now },
    };
  }
  if (answer.status >= 500) {
    return { state: "again", afterSeconds: PROCESSING_POLL_SECONDS, cursor: upload };
  }
  return await settle(client, job, media, { ...upload, stage: "processing", since: job.now }, answer);
}

async function poll(client: PlatformClient, job: Job, media: JobMedia, upload: Cursor): Promise<PrepareOutcome> {
  const answer = await call(client, withQuery(UPLOAD, { command: "STATUS", media_id: upload.id }), {
    headers: bearer(job.account.accessToken),
  });
  return await settle(client, job, media, upload, answer);
}

/** Reads an answer that carries the state of processing; none of it means ready. */
async function settle(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  upload: Cursor,
  answer: Answer,
): Promise<PrepareOutcome> {
  const step = readUpload(job, answer);
  if (!step.ok) {
    return await forgotten(client, job, media, upload, answer);
  }
  const info = step.value.processing_info;
  if (!info || info.state === "succeeded") {
    return ready(job, [{ id: upload.id, key: step.value.media_key ?? upload.key, expiresAt: upload.expiresAt }]);
  }
  if (info.state === "failed") {
    const words = quoted(info.error?.message ?? "");
    return {
      state: "refused",
      fault: rejected(
        `X could not process the media${words === "" ? "." : `: ${words}`}`,
        { httpStatus: answer.status, platformCode: info.error?.name ?? info.error?.code?.toString() ?? null },
        { code: "media_invalid", category: "media" },
      ),
    };
  }
  if (job.now - upload.since > PROCESSING_DEADLINE_MS) {
    return {
      state: "refused",
      fault: rejected(
        "X did not finish processing the media in time.",
        { httpStatus: answer.status, platformCode: info.state },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(60, Math.max(1, info.check_after_secs ?? PROCESSING_POLL_SECONDS));
  return { state: "again", afterSeconds, cursor: upload };
}

/** X no longer knows the upload, or lost a part of it: begin again, a bounded number of times. */
async function forgotten(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  upload: Cursor,
  answer: Answer,
): Promise<PrepareOutcome> {
  const fault = isOk(answer)
    ? temporary("X answered an upload with something else than its document says.", { httpStatus: answer.status })
    : toFault(answer, job.now);
  if ((answer.status !== 400 && answer.status !== 404) || upload.restarts >= MOST_RESTARTS) {
    return { state: "refused", fault };
  }
  const begun = await initialize(client, job, media, upload.restarts + 1);
  return begun.ok ? { state: "again", afterSeconds: 0, cursor: begun.value } : { state: "refused", fault: begun.fault };
}

function broken(): Fault {
  return temporary("The connection to X broke during the upload.", { httpStatus: null });
}

function tooLarge(httpStatus: number | null): Fault {
  return rejected("X refused the file as too large.", { httpStatus }, { code: "media_too_large", category: "media" });
}
