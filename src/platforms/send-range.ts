import { MINUTE } from "#core/clock.ts";
import { type PlatformResponse, callPlatform } from "./response.ts";
import type { JobFile, PlatformClient, PlatformRequestInit } from "./contract.ts";

/**
 * After this time (ms) a step starts no further parts of a file. The publisher ends a step after five minutes, and the
 * next one would send the same parts again.
 */
export const SENDING_PARTS_MS = 2 * MINUTE;

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The parts of a multipart body before and after the file. */
export interface SurroundingParts {
  readonly before: Blob;
  readonly after: Blob;
}

/** Writes streams one after the other into a sink, and closes it after the last one. */
async function pipeSequentially(
  streams: readonly ReadableStream<Uint8Array>[],
  sink: WritableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const [index, stream] of streams.entries()) {
      await stream.pipeTo(sink, { signal, preventClose: index < streams.length - 1 });
    }
  } catch {
    // A broken stream makes the request fail, which is reported there. After an early response nobody reads the rest.
    await Promise.allSettled(streams.map((stream) => stream.cancel()));
  }
}

/**
 * Streams a byte range of a stored file with a `Content-Length`, because uploads must not be chunked. Null if the
 * connection breaks; throws if the file cannot be read.
 */
export async function sendRange(
  client: PlatformClient,
  url: string | URL,
  media: Pick<JobFile, "read">,
  range: ByteRange,
  init: Omit<PlatformRequestInit, "body">,
  surrounding?: SurroundingParts,
): Promise<PlatformResponse | null> {
  const source = await media.read(range);
  const streams = surrounding ? [surrounding.before.stream(), source, surrounding.after.stream()] : [source];
  const { readable, writable } = new FixedLengthStream(
    range.length + (surrounding ? surrounding.before.size + surrounding.after.size : 0),
  );
  const requestDone = new AbortController();
  const piping = pipeSequentially(streams, writable, requestDone.signal);
  try {
    return await callPlatform(client, url, { ...init, body: readable });
  } catch {
    return null;
  } finally {
    requestDone.abort();
    await piping;
  }
}
