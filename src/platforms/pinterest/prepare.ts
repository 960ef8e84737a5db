import { MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearer } from "#platforms/form.ts";
import { MediaStatus } from "./answers.ts";
import { toFault, unexpected } from "./errors.ts";
import { apiOf } from "./hosts.ts";
import { Cursor, progressOf, type Ref } from "./refs.ts";
import { uploadVideo } from "./upload.ts";

const PROCESSING_DEADLINE_MS = 10 * MINUTE;
/** The waits of Pinterest's own quickstart. */
const POLL_SECONDS = [1, 2, 4, 8] as const;
const SLOWEST_POLL_SECONDS = 10;

/** Images need nothing; a video is uploaded once for every board, for nobody documents that one upload may serve two pins. */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const boards = openBoards(job);
  const video = job.media.find((media) => media.type === "video");
  if (!video || boards.length === 0) {
    return ready(boards, {});
  }
  const step: Cursor =
    cursor === undefined ? { uploads: [], since: null, polls: 0, refusals: 0 } : Cursor.parse(cursor);
  const next = boards.find((board) => !step.uploads.some((upload) => upload.board === board));
  return next === undefined
    ? await poll(client, job, boards, { ...step, since: step.since ?? job.now })
    : await uploadFor(client, job, video, next, step);
}

/** Boards of this post that have no pin yet. */
function openBoards(job: Job): readonly string[] {
  const { pins } = progressOf(job.progress);
  const { board_ids: ids } = job.options;
  const wanted = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  return wanted.filter((board) => !pins.some((pin) => pin.board === board));
}

function ready(boards: readonly string[], videos: Readonly<Record<string, string>>): PrepareOutcome {
  const ref: Ref = { boards: [...boards], videos, images: "url", failures: [], sends: 0, sentAt: null };
  return { state: "ready", ref };
}

async function uploadFor(
  client: PlatformClient,
  job: Job,
  video: JobMedia,
  board: string,
  step: Cursor,
): Promise<PrepareOutcome> {
  const uploaded = await uploadVideo(client, job, video);
  if (uploaded.state === "stored") {
    const uploads = [...step.uploads, { board, mediaId: uploaded.mediaId, done: false }];
    return { state: "again", afterSeconds: 0, cursor: { ...step, uploads, refusals: 0 } };
  }
  // An upload cannot be resumed; once it may simply have taken too long.
  return uploaded.byBucket && step.refusals === 0
    ? { state: "again", afterSeconds: 1, cursor: { ...step, refusals: 1 } }
    : { state: "refused", fault: uploaded.fault };
}

async function poll(
  client: PlatformClient,
  job: Job,
  boards: readonly string[],
  begun: Cursor & { readonly since: number },
): Promise<PrepareOutcome> {
  const uploads: Cursor["uploads"] = [];
  for (const upload of begun.uploads) {
    const state = upload.done ? "done" : await stateOf(client, job, upload.mediaId);
    if (typeof state !== "string") {
      return { state: "refused", fault: state };
    }
    uploads.push({ ...upload, done: state === "done" });
  }
  if (uploads.every((upload) => upload.done)) {
    return ready(boards, Object.fromEntries(uploads.map(({ board, mediaId }) => [board, mediaId])));
  }
  if (job.now - begun.since > PROCESSING_DEADLINE_MS) {
    return { state: "refused", fault: TOO_SLOW };
  }
  return {
    state: "again",
    afterSeconds: POLL_SECONDS[begun.polls] ?? SLOWEST_POLL_SECONDS,
    cursor: { ...begun, uploads, polls: begun.polls + 1 },
  };
}

async function stateOf(client: PlatformClient, job: Job, mediaId: string): Promise<"done" | "working" | Fault> {
  const { app, accessToken } = job.account;
  const url = `${apiOf(app)}/media/${encodeURIComponent(mediaId)}`;
  const answer = await call(client, url, { headers: bearer(accessToken) });
  const media = isOk(answer) ? read(MediaStatus, answer) : undefined;
  switch (media?.status) {
    case undefined:
      return isOk(answer) || answer.status < 400 ? unexpected(answer) : toFault(answer, job);
    case "succeeded":
      return "done";
    case "failed":
      return rejected(
        "Pinterest could not process the video.",
        { httpStatus: answer.status, platformCode: media?.failure_code?.toString() ?? "failed" },
        { code: "media_invalid", category: "media" },
      );
    default:
      return "working";
  }
}

const TOO_SLOW = rejected(
  "Pinterest did not finish processing the video in time.",
  { httpStatus: null },
  { code: "processing_failed", category: "platform", whoMustAct: "platform" },
);
