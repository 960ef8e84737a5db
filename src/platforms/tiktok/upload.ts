import { MINUTE } from "#core/clock.ts";
import type { Answer } from "#platforms/answer.ts";
import type { Fault, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";
import { hostMatches } from "#platforms/client.ts";
import { codeOf } from "./api.ts";
import { toFault } from "./errors.ts";
import { UPLOAD_HOSTS } from "./hosts.ts";

/*
 * The pieces of an upload (media transfer guide): 5 to 64 MB each, in order, the last one up to 128 MB and taking what the
 * division leaves. Small ones, because the last of them is all that is left for the due time.
 */

const PIECE_BYTES = 10_000_000;
const PIECE_TIMEOUT_MS = 75_000;
const LAST_PIECE_TIMEOUT_MS = 2 * MINUTE;

export interface PiecePlan {
  readonly pieceBytes: number;
  readonly count: number;
}

export function piecePlan(totalBytes: number): PiecePlan {
  const count = Math.floor(totalBytes / PIECE_BYTES);
  return count < 2 ? { pieceBytes: totalBytes, count: 1 } : { pieceBytes: PIECE_BYTES, count };
}

export function isLast(plan: PiecePlan, piece: number): boolean {
  return piece >= plan.count - 1;
}

function rangeOf(plan: PiecePlan, piece: number, totalBytes: number): ByteRange {
  const offset = piece * plan.pieceBytes;
  return { offset, length: isLast(plan, piece) ? totalBytes - offset : plan.pieceBytes };
}

/** Where an upload that has `uploaded` bytes goes on; documents count up to the last byte or past it, and either gives the same piece. */
export function pieceAfter(plan: PiecePlan, uploaded: number): number {
  return Math.min(plan.count - 1, Math.floor((uploaded + 1) / plan.pieceBytes));
}

/** What the upload host says of one piece. */
type Heard =
  | { readonly state: "stored" }
  /** Everything is there, and posting has begun. */
  | { readonly state: "complete" }
  /** Not the piece it waits for. */
  | { readonly state: "elsewhere"; readonly uploaded: number | null }
  | { readonly state: "gone" }
  | { readonly state: "unclear" }
  | { readonly state: "refused"; readonly fault: Fault };

interface Told {
  readonly heard: Heard;
  /** Null when the connection broke. */
  readonly httpStatus: number | null;
}

export async function sendPiece(
  client: PlatformClient,
  media: JobMedia,
  url: string,
  plan: PiecePlan,
  piece: number,
): Promise<Told> {
  const range = rangeOf(plan, piece, media.sizeBytes);
  const answer = await sendRange(client, url, media, range, {
    method: "PUT",
    headers: {
      "content-type": media.contentType,
      "content-length": String(range.length),
      "content-range": `bytes ${range.offset}-${range.offset + range.length - 1}/${media.sizeBytes}`,
    },
    timeoutMs: isLast(plan, piece) ? LAST_PIECE_TIMEOUT_MS : PIECE_TIMEOUT_MS,
  });
  return answer === null
    ? { heard: { state: "unclear" }, httpStatus: null }
    : { heard: hear(answer), httpStatus: answer.status };
}

function hear(answer: Answer): Heard {
  switch (answer.status) {
    case 206:
      return { state: "stored" };
    case 201:
      return { state: "complete" };
    case 416:
      return { state: "elsewhere", uploaded: uploadedBytes(answer.headers) };
    case 403:
    case 404:
      return { state: "gone" };
    default: {
      const fault = pieceFault(answer);
      return answer.status < 400 || fault.kind === "temporary" ? { state: "unclear" } : { state: "refused", fault };
    }
  }
}

/** The upload host speaks in statuses; a refusal without a word is about the file. */
function pieceFault(answer: Answer): Fault {
  return answer.status === 400
    ? rejected(
        "TikTok refused the upload.",
        { httpStatus: answer.status, platformCode: codeOf(answer) },
        { code: "media_invalid", category: "media" },
      )
    : toFault(answer);
}

/** `Content-Range: bytes 0-9999999/50000123`. */
function uploadedBytes(headers: Headers): number | null {
  const uploaded = /^bytes 0-(\d{1,15})\//.exec(headers.get("content-range")?.trim() ?? "")?.[1];
  return uploaded === undefined ? null : Number(uploaded);
}

/** The video goes to that address: it must be the platform's own. */
export function isUploadUrl(url: string | null | undefined): url is string {
  const parsed = url ? URL.parse(url) : null;
  return parsed?.protocol === "https:" && hostMatches(UPLOAD_HOSTS, parsed.hostname);
}
