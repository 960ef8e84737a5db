import { MINUTE, SECOND } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearer } from "#platforms/form.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";
import { Video } from "./answers.ts";
import { toFault } from "./errors.ts";

/*
 * The resumable protocol (developers.google.com/youtube/v3/guides/using_resumable_upload_protocol). One session becomes at
 * most one video, and only its last byte makes it: a session may be asked and continued at any time, whatever was lost.
 */

/** Every piece but the last is a multiple of this. */
const GRAIN_BYTES = 256 * 1024;
const PIECE_BYTES = 8 * 1024 ** 2;
const PIECE_TIMEOUT_MS = MINUTE;
const PROBE_TIMEOUT_MS = 20 * SECOND;

/** What a session says of itself. */
type Heard =
  | { readonly state: "complete"; readonly video: Video }
  | { readonly state: "incomplete"; readonly offset: number }
  | { readonly state: "gone" }
  /** Nothing can be told from this answer; asking again can. */
  | { readonly state: "unclear" }
  | { readonly state: "refused"; readonly fault: Fault };

interface Told {
  readonly heard: Heard;
  /** Null when the connection broke. */
  readonly httpStatus: number | null;
}

/** Where the piece that makes the video begins: as little as possible is left for the due time. */
export function lastPieceFrom(totalBytes: number): number {
  return Math.floor((totalBytes - 1) / GRAIN_BYTES) * GRAIN_BYTES;
}

/** The next piece that leaves the last one alone; 0 when only that is missing. */
export function nextPieceBytes(offset: number, totalBytes: number): number {
  const whole = Math.floor((lastPieceFrom(totalBytes) - offset) / GRAIN_BYTES) * GRAIN_BYTES;
  return Math.min(PIECE_BYTES, Math.max(0, whole));
}

/** How much `commit` may send at once. */
export const LAST_PIECE_MAX_BYTES = PIECE_BYTES;

export async function sendPiece(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  session: string,
  range: ByteRange,
): Promise<Told> {
  const { offset, length } = range;
  const answer = await sendRange(client, session, media, range, {
    method: "PUT",
    headers: {
      ...bearer(job.account.accessToken),
      "content-type": media.contentType,
      "content-length": String(length),
      "content-range": `bytes ${offset}-${offset + length - 1}/${media.sizeBytes}`,
    },
    timeoutMs: PIECE_TIMEOUT_MS,
  });
  return told(answer, job.now);
}

/** How far is it, or is it done? */
export async function probe(client: PlatformClient, job: Job, media: JobMedia, session: string): Promise<Told> {
  const asked = call(client, session, {
    method: "PUT",
    headers: {
      ...bearer(job.account.accessToken),
      "content-length": "0",
      "content-range": `bytes */${media.sizeBytes}`,
    },
    body: new Uint8Array(),
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  return told(await asked.catch(() => null), job.now);
}

function told(answer: Answer | null, now: number): Told {
  return answer === null
    ? { heard: { state: "unclear" }, httpStatus: null }
    : { heard: hear(answer, now), httpStatus: answer.status };
}

function hear(answer: Answer, now: number): Heard {
  if (isOk(answer)) {
    const video = read(Video, answer);
    return video ? { state: "complete", video } : { state: "unclear" };
  }
  switch (answer.status) {
    case 308:
      return { state: "incomplete", offset: storedBytes(answer.headers) };
    case 404:
    case 410:
      return { state: "gone" };
    default: {
      const fault = toFault(answer, now);
      return answer.status < 400 || fault.kind === "temporary" ? { state: "unclear" } : { state: "refused", fault };
    }
  }
}

/** `Range: bytes=0-8388607`; without the header nothing is there. */
function storedBytes(headers: Headers): number {
  const last = /^bytes=0-(\d{1,15})$/.exec(headers.get("range")?.trim() ?? "")?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

/** Exactly one video: the preview has seen to it. */
export function videoOf(job: Job): JobMedia | null {
  const [media] = job.media;
  return media?.type === "video" ? media : null;
}

export const NO_VIDEO = rejected(
  "A YouTube post is exactly one video.",
  { httpStatus: null },
  { code: "media_required", category: "media" },
);

export function watchUrl(id: string): string {
  return `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`;
}
