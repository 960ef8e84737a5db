import { type Answer, call } from "./answer.ts";
import type { JobMedia, PlatformClient, PlatformRequestInit } from "./contract.ts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** What stands before and after the file in the same body. */
export interface Around {
  readonly before: Blob;
  readonly after: Blob;
}

/** One stream after the other into the same sink, which ends with the last of them. */
async function pour(
  streams: readonly ReadableStream<Uint8Array>[],
  sink: WritableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const [index, stream] of streams.entries()) {
      await stream.pipeTo(sink, { signal, preventClose: index < streams.length - 1 });
    }
  } catch {
    // What breaks on the way breaks the request, which tells it; an early answer leaves bytes that nobody reads.
    await Promise.allSettled(streams.map((stream) => stream.cancel()));
  }
}

/**
 * Sends a part of a stored file: streamed, and with its length known beforehand, as uploads in pieces want it. Null when the
 * connection broke; a file that cannot be read is thrown.
 */
export async function sendRange(
  client: PlatformClient,
  url: string | URL,
  media: JobMedia,
  range: ByteRange,
  init: Omit<PlatformRequestInit, "body">,
  around?: Around,
): Promise<Answer | null> {
  const source = await media.read(range);
  const streams = around ? [around.before.stream(), source, around.after.stream()] : [source];
  const { readable, writable } = new FixedLengthStream(
    range.length + (around ? around.before.size + around.after.size : 0),
  );
  const over = new AbortController();
  const piped = pour(streams, writable, over.signal);
  try {
    return await call(client, url, { ...init, body: readable });
  } catch {
    return null;
  } finally {
    over.abort();
    await piped;
  }
}
