import { MINUTE } from "#core/clock.ts";
import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";
import { hostMatches } from "#core/host-patterns.ts";
import { errorCode } from "./api.ts";
import { toFault } from "./errors.ts";
import { UPLOAD_HOSTS } from "./hosts.ts";

/* The chunks of an upload (https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide): 5 to 64 MB
   each, in order. The last one takes the remainder and may have up to 128 MB. They are small, because the last one
   is sent at the due time. */

/**
 * The largest video (bytes) in one chunk. Larger ones need several, and smaller ones in several were refused
 * (https://github.com/DayMoonDevelopment/post-for-me/issues/327).
 */
const SINGLE_CHUNK_MAX_BYTES = 64_000_000;
/** The size of a chunk (bytes), as in the guide's own example. */
const CHUNK_BYTES = 10_000_000;
const CHUNK_TIMEOUT_MS = 75_000;
const LAST_CHUNK_TIMEOUT_MS = 2 * MINUTE;

export interface ChunkLayout {
  readonly chunkBytes: number;
  readonly chunkCount: number;
}

export function chunkLayout(totalBytes: number): ChunkLayout {
  return totalBytes <= SINGLE_CHUNK_MAX_BYTES
    ? { chunkBytes: totalBytes, chunkCount: 1 }
    : { chunkBytes: CHUNK_BYTES, chunkCount: Math.floor(totalBytes / CHUNK_BYTES) };
}

export function isLastChunk(layout: ChunkLayout, chunkIndex: number): boolean {
  return chunkIndex >= layout.chunkCount - 1;
}

function chunkRange(layout: ChunkLayout, chunkIndex: number, totalBytes: number): ByteRange {
  const offset = chunkIndex * layout.chunkBytes;
  return { offset, length: isLastChunk(layout, chunkIndex) ? totalBytes - offset : layout.chunkBytes };
}

/**
 * The chunk that follows `uploaded` bytes. TikTok's documents disagree on whether the count includes the last byte, but
 * both give the same chunk.
 */
export function nextChunkIndex(layout: ChunkLayout, uploaded: number): number {
  return Math.min(layout.chunkCount - 1, Math.floor((uploaded + 1) / layout.chunkBytes));
}

/** The upload host's response to one chunk. */
type ChunkResult =
  | { readonly state: "stored" }
  /** All chunks have arrived and TikTok has started to post. */
  | { readonly state: "complete" }
  /** The upload host expects another chunk. */
  | { readonly state: "wrong_chunk"; readonly uploaded: number | null }
  | { readonly state: "gone" }
  | { readonly state: "unclear" }
  | { readonly state: "refused"; readonly fault: Fault };

interface ChunkResponse {
  readonly result: ChunkResult;
  /** The HTTP status; null if the connection broke. */
  readonly httpStatus: number | null;
}

export async function sendChunk(
  client: PlatformClient,
  media: JobMedia,
  url: string,
  layout: ChunkLayout,
  chunkIndex: number,
): Promise<ChunkResponse> {
  const range = chunkRange(layout, chunkIndex, media.sizeBytes);
  const response = await sendRange(client, url, media, range, {
    method: "PUT",
    headers: {
      "content-type": media.contentType,
      "content-length": String(range.length),
      "content-range": `bytes ${range.offset}-${range.offset + range.length - 1}/${media.sizeBytes}`,
    },
    timeoutMs: isLastChunk(layout, chunkIndex) ? LAST_CHUNK_TIMEOUT_MS : CHUNK_TIMEOUT_MS,
  });
  return response === null
    ? { result: { state: "unclear" }, httpStatus: null }
    : { result: parseChunkResult(response), httpStatus: response.status };
}

function parseChunkResult(response: PlatformResponse): ChunkResult {
  switch (response.status) {
    case 206:
      return { state: "stored" };
    case 201:
      return { state: "complete" };
    case 416:
      return { state: "wrong_chunk", uploaded: uploadedBytes(response.headers) };
    case 403:
    case 404:
      return { state: "gone" };
    default: {
      const fault = chunkFault(response);
      return response.status < 400 || fault.kind === "temporary" ? { state: "unclear" } : { state: "refused", fault };
    }
  }
}

/**
 * The fault of a refused chunk. The upload host answers only with HTTP statuses; 400 means that the file was refused.
 */
function chunkFault(response: PlatformResponse): Fault {
  return response.status === 400
    ? rejected(
        "TikTok refused the upload.",
        { httpStatus: response.status, platformCode: errorCode(response) },
        { code: "media_invalid", category: "media" },
      )
    : toFault(response);
}

/** The number of bytes that TikTok has, from `Content-Range: bytes 0-9999999/50000123`. */
function uploadedBytes(headers: Headers): number | null {
  const uploaded = /^bytes 0-(\d{1,15})\//.exec(headers.get("content-range")?.trim() ?? "")?.[1];
  return uploaded === undefined ? null : Number(uploaded);
}

/** Whether an upload URL belongs to TikTok. It must, because the video is sent there. */
export function isUploadUrl(url: string | null | undefined): url is string {
  const parsed = url ? URL.parse(url) : null;
  return parsed?.protocol === "https:" && hostMatches(UPLOAD_HOSTS, parsed.hostname);
}
