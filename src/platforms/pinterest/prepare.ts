import { MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";
import { MediaStatus } from "./answers.ts";
import { toFault, unexpectedResponse } from "./errors.ts";
import { apiUrl } from "./hosts.ts";
import { boardIds } from "./options.ts";
import { Cursor, parseProgress, type CommitRef } from "./refs.ts";
import { uploadVideo } from "./upload.ts";

const PROCESSING_DEADLINE_MS = 10 * MINUTE;
/** The seconds between polls, as in Pinterest's own quickstart. */
const POLL_SECONDS = [1, 2, 4, 8] as const;
const MAX_POLL_SECONDS = 10;

/**
 * Prepares a pin. Images need no preparation. A video is uploaded once per board, because it is not documented that two
 * pins may share an upload.
 */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const boards = remainingBoards(job);
  const video = job.media.find((media) => media.type === "video");
  if (!video || boards.length === 0) {
    return readyOutcome(boards, {});
  }
  const current: Cursor =
    cursor === undefined ? { uploads: [], processingSince: null, pollCount: 0, refusalCount: 0 } : Cursor.parse(cursor);
  const next = boards.find((board) => !current.uploads.some((upload) => upload.board === board));
  return next === undefined
    ? await pollProcessing(client, job, boards, { ...current, processingSince: current.processingSince ?? job.now })
    : await uploadForBoard(client, job, video, next, current);
}

/** The boards of this post that have no pin yet. */
function remainingBoards(job: Job): readonly string[] {
  const { pins } = parseProgress(job.progress);
  return boardIds(job.options).filter((board) => !pins.some((pin) => pin.board === board));
}

function readyOutcome(boards: readonly string[], mediaIds: Readonly<Record<string, string>>): PrepareOutcome {
  const ref: CommitRef = { boards: [...boards], mediaIds, imageMode: "url", failures: [], sendCount: 0, sentAt: null };
  return { state: "ready", ref };
}

async function uploadForBoard(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  board: string,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const uploaded = await uploadVideo(client, job, video);
  if (uploaded.state === "stored") {
    const uploads = [...cursor.uploads, { board, mediaId: uploaded.mediaId, done: false }];
    return { state: "again", afterSeconds: 0, cursor: { ...cursor, uploads, refusalCount: 0 } };
  }
  // An upload cannot be resumed. It is repeated once, because the first one may only have taken too long.
  return uploaded.refusedByStorage && cursor.refusalCount === 0
    ? { state: "again", afterSeconds: 1, cursor: { ...cursor, refusalCount: 1 } }
    : { state: "refused", fault: uploaded.fault };
}

async function pollProcessing(
  client: PlatformClient,
  job: Job,
  boards: readonly string[],
  cursor: Cursor & { readonly processingSince: number },
): Promise<PrepareOutcome> {
  const uploads: Cursor["uploads"] = [];
  for (const upload of cursor.uploads) {
    const state = upload.done ? "done" : await readMediaState(client, job, upload.mediaId);
    if (typeof state !== "string") {
      return { state: "refused", fault: state };
    }
    uploads.push({ ...upload, done: state === "done" });
  }
  if (uploads.every((upload) => upload.done)) {
    return readyOutcome(boards, Object.fromEntries(uploads.map(({ board, mediaId }) => [board, mediaId])));
  }
  if (job.now - cursor.processingSince > PROCESSING_DEADLINE_MS) {
    return { state: "refused", fault: PROCESSING_TIMED_OUT_FAULT };
  }
  return {
    state: "again",
    afterSeconds: POLL_SECONDS[cursor.pollCount] ?? MAX_POLL_SECONDS,
    cursor: { ...cursor, uploads, pollCount: cursor.pollCount + 1 },
  };
}

async function readMediaState(
  client: PlatformClient,
  job: Job,
  mediaId: string,
): Promise<"done" | "processing" | Fault> {
  const { app, accessToken } = job.account;
  const url = `${apiUrl(app)}/media/${encodeURIComponent(mediaId)}`;
  const response = await callPlatform(client, url, { headers: bearerHeader(accessToken) });
  const media = isOk(response) ? parseBody(MediaStatus, response) : undefined;
  switch (media?.status) {
    case undefined:
      return isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, job);
    case "succeeded":
      return "done";
    case "failed":
      return rejected(
        "Pinterest could not process the video.",
        { httpStatus: response.status, platformCode: media?.failure_code?.toString() ?? "failed" },
        { code: "media_invalid", category: "media" },
      );
    default:
      return "processing";
  }
}

const PROCESSING_TIMED_OUT_FAULT = rejected(
  "Pinterest did not finish processing the video in time.",
  { httpStatus: null },
  { code: "processing_failed", category: "platform", whoMustAct: "platform" },
);
