import { MINUTE, SECOND } from "#core/clock.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { hostMatches } from "#platforms/client.ts";
import { Registered } from "./answers.ts";
import { toFault, unexpected } from "./errors.ts";
import { apiOf, UPLOAD_HOSTS } from "./hosts.ts";

const SLOWEST_BYTES_PER_SECOND = 5_000_000;
/** A step is cut off after five minutes, whatever it is doing. */
const LONGEST_UPLOAD_MS = 280 * SECOND;

type Uploaded =
  | { readonly state: "stored"; readonly mediaId: string }
  | { readonly state: "refused"; readonly fault: Fault; readonly byBucket: boolean };

/** Registers and sends a whole video; what breaks in between is left behind, and nobody sees it. */
export async function uploadVideo(client: PlatformClient, job: Job, video: JobMedia): Promise<Uploaded> {
  const { app, accessToken } = job.account;
  const answer = await call(client, `${apiOf(app)}/media`, postJson({ media_type: "video" }, bearer(accessToken)));
  const registered = isOk(answer) ? read(Registered, answer) : undefined;
  if (!registered || !isUploadUrl(registered.upload_url)) {
    const fault = isOk(answer) || answer.status < 400 ? unexpected(answer) : toFault(answer, job);
    return { state: "refused", fault, byBucket: false };
  }
  const status = await postToBucket(client, registered.upload_url, registered.upload_parameters, video);
  if (status !== null && status >= 200 && status < 300) {
    return { state: "stored", mediaId: registered.media_id };
  }
  const fault = temporary("Pinterest's storage did not take the video.", { httpStatus: status });
  return { state: "refused", fault, byBucket: status !== null && status >= 400 && status < 500 };
}

/** The video goes to that address: it must be one of Pinterest's kind. */
function isUploadUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && hostMatches(UPLOAD_HOSTS, parsed.hostname);
}

/**
 * A form of S3's: every field first, the file last, and the length of it all known beforehand. Written by hand, because a
 * FormData of a stream would have to be held in memory.
 */
async function postToBucket(
  client: PlatformClient,
  url: string,
  fields: Readonly<Record<string, string>>,
  video: JobMedia,
): Promise<number | null> {
  // No file contains its own hash.
  const boundary = `part-${video.sha256}`;
  const head = encoded(
    ...Object.entries(fields).map(([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`),
    `--${boundary}\r\n${disposition("file")}; filename="video"\r\ncontent-type: ${video.contentType}\r\n\r\n`,
  );
  const tail = encoded(`\r\n--${boundary}--\r\n`);
  const length = head.byteLength + video.sizeBytes + tail.byteLength;
  const file = await video.read();
  const { readable, writable } = new FixedLengthStream(length);
  const over = new AbortController();
  // What breaks on the way breaks the request, which tells it; an early answer leaves bytes that nobody reads.
  const filled = fill(writable, { head, file, tail }, over.signal).catch(() => file.cancel().catch(() => undefined));
  try {
    const answer = await call(client, url, {
      method: "POST",
      headers: { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(length) },
      body: readable,
      timeoutMs: Math.min(LONGEST_UPLOAD_MS, MINUTE + Math.ceil(length / SLOWEST_BYTES_PER_SECOND) * SECOND),
    });
    return answer.status;
  } catch {
    return null;
  } finally {
    over.abort();
    await filled;
  }
}

interface Form {
  readonly head: Uint8Array;
  readonly file: ReadableStream<Uint8Array>;
  readonly tail: Uint8Array;
}

async function fill(to: WritableStream<Uint8Array>, { head, file, tail }: Form, signal: AbortSignal): Promise<void> {
  await withWriter(to, signal, (writer) => writer.write(head));
  await file.pipeTo(to, { preventClose: true, signal });
  await withWriter(to, signal, async (writer) => {
    await writer.write(tail);
    await writer.close();
  });
}

/** A write waits until somebody reads, so it has to end with the request. */
async function withWriter(
  to: WritableStream<Uint8Array>,
  signal: AbortSignal,
  work: (writer: WritableStreamDefaultWriter<Uint8Array>) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const writer = to.getWriter();
  const stop = () => void writer.abort().catch(() => undefined);
  signal.addEventListener("abort", stop);
  try {
    await work(writer);
  } finally {
    signal.removeEventListener("abort", stop);
    writer.releaseLock();
  }
}

function disposition(name: string): string {
  const quoted = name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
  return `content-disposition: form-data; name="${quoted}"`;
}

function encoded(...lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(lines.join(""));
}
