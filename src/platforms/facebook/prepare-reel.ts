import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected, temporary } from "#platforms/fault.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { graphGet } from "#platforms/graph.ts";
import { Started, Success, Video } from "./answers.ts";
import { toFault, uploadProblem, videoFault } from "./errors.ts";
import { graphOf, UPLOAD_HOST } from "./hosts.ts";
import { ReelCursor, refOf } from "./refs.ts";

const HOSTED_TIMEOUT_MS = 60_000;
const BYTES_TIMEOUT_MS = 120_000;
const FIRST_POLL_SECONDS = 5;
const LONGEST_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;
const DEADLINE_MS = 30 * MINUTE;
const MOST_REBUILDS = 2;
/** An upload session is not promised to live longer. */
const LIFETIME_MS = 23 * 60 * MINUTE;

/** Start and upload; the finish that makes the reel visible is left to `commit`. */
export async function prepareReel(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  if (cursor === undefined) {
    return await start(client, job, 0, "hosted");
  }
  const step = ReelCursor.parse(cursor);
  return step.stage === "upload" ? await upload(client, job, video, step) : await poll(client, job, step);
}

async function start(
  client: PlatformClient,
  job: Job,
  rebuilds: number,
  way: ReelCursor["way"],
): Promise<PrepareOutcome> {
  const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/video_reels`;
  const answer = await call(client, url, postJson({ upload_phase: "start" }, bearer(job.account.accessToken)));
  const started = isOk(answer) ? read(Started, answer) : undefined;
  // The token goes to that address: it must be the platform's own.
  if (!started || URL.parse(started.upload_url ?? "")?.hostname !== UPLOAD_HOST) {
    return {
      state: "refused",
      fault: isOk(answer)
        ? temporary("Facebook did not say where the video goes.", { httpStatus: answer.status })
        : toFault(answer),
    };
  }
  const cursor: ReelCursor = {
    stage: "upload",
    videoId: started.video_id,
    uploadUrl: started.upload_url ?? "",
    way,
    since: job.now,
    polls: 0,
    rebuilds,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

async function upload(client: PlatformClient, job: Job, video: JobMedia, step: ReelCursor): Promise<PrepareOutcome> {
  const answer =
    step.way === "hosted" ? await sendAddress(client, job, video, step) : await sendBytes(client, job, video, step);
  if (isOk(answer) && read(Success, answer)?.success !== false) {
    return waiting(job, step);
  }
  const problem = uploadProblem(answer);
  if (step.way === "hosted" && problem === "parameters") {
    // Some apps are refused the hosted form ("Header Offset not convertable"); the bytes are always taken.
    return { state: "again", afterSeconds: 0, cursor: { ...step, way: "bytes" } };
  }
  const fault = isOk(answer) ? videoFault(null, "the upload failed") : toFault(answer);
  if (problem === "offset") {
    // The next try asks first how many bytes are there.
    return {
      state: "refused",
      fault: temporary("Facebook did not take the whole upload.", {
        httpStatus: answer.status,
        platformCode: fault.platformCode,
      }),
    };
  }
  return { state: "refused", fault };
}

function waiting(job: Job, step: ReelCursor): PrepareOutcome {
  return { state: "again", afterSeconds: 1, cursor: { ...step, stage: "wait", since: job.now, polls: 0 } };
}

async function sendAddress(client: PlatformClient, job: Job, video: JobMedia, step: ReelCursor): Promise<Answer> {
  return await call(client, step.uploadUrl, {
    method: "POST",
    headers: { authorization: `OAuth ${job.account.accessToken}`, file_url: video.url },
    timeoutMs: HOSTED_TIMEOUT_MS,
  });
}

/** From where an interrupted upload stopped, which the platform knows better than we do. */
async function sendBytes(client: PlatformClient, job: Job, video: JobMedia, step: ReelCursor): Promise<Answer> {
  const offset = await transferred(client, job, step);
  const length = video.sizeBytes - offset;
  const { readable, writable } = new FixedLengthStream(length);
  const source = await video.read({ offset, length });
  const end = new AbortController();
  const piped = source.pipeTo(writable, { signal: end.signal }).catch(() => undefined);
  try {
    return await call(client, step.uploadUrl, {
      method: "POST",
      headers: {
        authorization: `OAuth ${job.account.accessToken}`,
        "content-type": "application/octet-stream",
        offset: String(offset),
        file_size: String(video.sizeBytes),
      },
      body: readable,
      timeoutMs: BYTES_TIMEOUT_MS,
    });
  } finally {
    // An answer may come before the platform has read everything.
    end.abort();
    await piped;
  }
}

async function transferred(client: PlatformClient, job: Job, step: ReelCursor): Promise<number> {
  const answer = await readVideo(client, job, step.videoId);
  const phase = isOk(answer) ? read(Video, answer)?.status?.uploading_phase : undefined;
  // Spelled both ways in the documents.
  const bytes = phase?.["bytes_transferred"] ?? phase?.["bytes_transfered"];
  return typeof bytes === "number" ? bytes : 0;
}

async function readVideo(client: PlatformClient, job: Job, id: string): Promise<Answer> {
  return await graphGet(client, `${graphOf(job.account.app)}/${encodeURIComponent(id)}`, job.account.accessToken, {
    fields: "status",
  });
}

async function poll(client: PlatformClient, job: Job, step: ReelCursor): Promise<PrepareOutcome> {
  const answer = await readVideo(client, job, step.videoId);
  const status = isOk(answer) ? read(Video, answer)?.status : undefined;
  if (!status) {
    const fault = isOk(answer)
      ? temporary("Facebook did not tell the state of the video.", { httpStatus: answer.status })
      : toFault(answer);
    return { state: "refused", fault };
  }
  const { video_status: video, uploading_phase: uploading, processing_phase: processing } = status;
  const error = processing?.error ?? processing?.errors?.[0] ?? uploading?.error ?? uploading?.errors?.[0];
  if (video === "expired" || video === "upload_failed" || uploading?.status === "error") {
    return step.rebuilds < MOST_REBUILDS
      ? await start(client, job, step.rebuilds + 1, step.way)
      : { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "the upload failed") };
  }
  if (video === "error" || processing?.status === "error") {
    return { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "") };
  }
  const isUploaded =
    uploading?.status === "complete" || uploading?.status === "completed" || video === "upload_complete";
  if (isUploaded || video === "ready") {
    return { state: "ready", ref: refOf("reel", { videoId: step.videoId }), expiresAt: job.now + LIFETIME_MS };
  }
  if (job.now - step.since > DEADLINE_MS) {
    return {
      state: "refused",
      fault: rejected(
        "Facebook did not finish taking the video in time.",
        { httpStatus: answer.status, platformCode: video ?? null },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(LONGEST_POLL_SECONDS, FIRST_POLL_SECONDS * POLL_GROWTH ** step.polls);
  return { state: "again", afterSeconds, cursor: { ...step, polls: step.polls + 1 } };
}
