import { type Answer, call } from "./answer.ts";
import type { JobMedia, Wire, WireInit } from "./contract.ts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Sends a part of a stored file: streamed, and with its length known beforehand, as uploads in pieces want it. */
export async function sendRange(
  wire: Wire,
  url: string | URL,
  media: JobMedia,
  range: ByteRange,
  init: Omit<WireInit, "body">,
): Promise<Answer> {
  const { readable, writable } = new FixedLengthStream(range.length);
  const source = await media.read(range);
  const over = new AbortController();
  // What breaks on the way breaks the request, which tells it; an early answer leaves bytes that nobody reads.
  const piped = source.pipeTo(writable, { signal: over.signal }).catch(() => undefined);
  try {
    return await call(wire, url, { ...init, body: readable });
  } finally {
    over.abort();
    await piped;
  }
}
