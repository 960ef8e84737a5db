import { type Answer, call } from "./answer.ts";
import type { JobMedia, Wire, WireInit } from "./contract.ts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Sends a part of a stored file: streamed, and with its length known beforehand, as uploads in pieces want it. Null when the
 * connection broke; a file that cannot be read is thrown.
 */
export async function sendRange(
  wire: Wire,
  url: string | URL,
  media: JobMedia,
  range: ByteRange,
  init: Omit<WireInit, "body">,
): Promise<Answer | null> {
  const source = await media.read(range);
  const { readable, writable } = new FixedLengthStream(range.length);
  const over = new AbortController();
  // What breaks on the way breaks the request, which tells it; an early answer leaves bytes that nobody reads.
  const piped = source.pipeTo(writable, { signal: over.signal }).catch(() => undefined);
  try {
    return await call(wire, url, { ...init, body: readable });
  } catch {
    return null;
  } finally {
    over.abort();
    await piped;
  }
}
