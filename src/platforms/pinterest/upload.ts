import { MINUTE, SECOND } from "#core/clock.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { hostMatches } from "#core/host-patterns.ts";
import { RegisteredMedia } from "./answers.ts";
import { toFault, unexpectedResponse } from "./errors.ts";
import { apiUrl, UPLOAD_HOSTS } from "./hosts.ts";

const MIN_UPLOAD_BYTES_PER_SECOND = 5_000_000;
/**
 * The longest upload (ms). With the registration it stays below five minutes, after which the publisher aborts a step.
 */
const MAX_UPLOAD_MS = 270 * SECOND;

type UploadOutcome =
  | { readonly state: "stored"; readonly mediaId: string }
  | { readonly state: "refused"; readonly fault: Fault; readonly refusedByStorage: boolean };

/** Registers and uploads a whole video. An interrupted upload is abandoned and never becomes visible. */
export async function uploadVideo(client: PlatformClient, job: Job, video: JobMedia): Promise<UploadOutcome> {
  const { app, accessToken } = job.account;
  const response = await callPlatform(
    client,
    `${apiUrl(app)}/media`,
    postJson({ media_type: "video" }, bearerHeader(accessToken)),
  );
  const registered = isOk(response) ? parseBody(RegisteredMedia, response) : undefined;
  if (!registered || !isUploadUrl(registered.upload_url)) {
    const fault = isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, job);
    return { state: "refused", fault, refusedByStorage: false };
  }
  const status = await postToStorage(client, registered.upload_url, registered.upload_parameters, video);
  if (status !== null && status >= 200 && status < 300) {
    return { state: "stored", mediaId: registered.media_id };
  }
  const fault = temporary("Pinterest's storage did not accept the video.", { httpStatus: status });
  return { state: "refused", fault, refusedByStorage: status !== null && status >= 400 && status < 500 };
}

/** Whether an upload URL is on one of Pinterest's storage hosts. It must be, because the video is sent there. */
function isUploadUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && hostMatches(UPLOAD_HOSTS, parsed.hostname);
}

/**
 * Sends the video to Amazon S3, which requires all fields first, the file last, and a known length. The form is written
 * here, because `FormData` would hold the whole file in memory.
 */
async function postToStorage(
  client: PlatformClient,
  url: string,
  fields: Readonly<Record<string, string>>,
  video: JobMedia,
): Promise<number | null> {
  // Use the file's hash as boundary: a file cannot contain its own hash, so the boundary never occurs in it.
  const boundary = `part-${video.sha256}`;
  const head = encodeText(
    ...Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\n${contentDisposition(name)}\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}\r\n${contentDisposition("file")}; filename="video"\r\ncontent-type: ${video.contentType}\r\n\r\n`,
  );
  const tail = encodeText(`\r\n--${boundary}--\r\n`);
  const length = head.byteLength + video.sizeBytes + tail.byteLength;
  const file = await video.read();
  const { readable, writable } = new FixedLengthStream(length);
  const requestEnded = new AbortController();
  // If writing fails, the request fails too and reports it. After an early response, the remaining bytes are not
  // needed.
  const formWritten = writeForm(writable, { head, file, tail }, requestEnded.signal).catch(() =>
    file.cancel().catch(() => undefined),
  );
  try {
    const response = await callPlatform(client, url, {
      method: "POST",
      headers: { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(length) },
      body: readable,
      timeoutMs: Math.min(MAX_UPLOAD_MS, MINUTE + Math.ceil(length / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND),
    });
    return response.status;
  } catch {
    return null;
  } finally {
    requestEnded.abort();
    await formWritten;
  }
}

interface FormParts {
  readonly head: Uint8Array;
  readonly file: ReadableStream<Uint8Array>;
  readonly tail: Uint8Array;
}

async function writeForm(
  to: WritableStream<Uint8Array>,
  { head, file, tail }: FormParts,
  signal: AbortSignal,
): Promise<void> {
  await withWriter(to, signal, (writer) => writer.write(head));
  await file.pipeTo(to, { preventClose: true, signal });
  await withWriter(to, signal, async (writer) => {
    await writer.write(tail);
    await writer.close();
  });
}

/**
 * Writes to a stream, and aborts the writing when the request ends. Otherwise the write would wait for a reader for
 * ever.
 */
async function withWriter(
  to: WritableStream<Uint8Array>,
  signal: AbortSignal,
  work: (writer: WritableStreamDefaultWriter<Uint8Array>) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const writer = to.getWriter();
  const abort = () => void writer.abort().catch(() => undefined);
  signal.addEventListener("abort", abort);
  try {
    await work(writer);
  } finally {
    signal.removeEventListener("abort", abort);
    writer.releaseLock();
  }
}

function contentDisposition(name: string): string {
  const escaped = name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
  return `content-disposition: form-data; name="${escaped}"`;
}

function encodeText(...lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(lines.join(""));
}
