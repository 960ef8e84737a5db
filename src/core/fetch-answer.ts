import { concatBytes } from "./bytes.ts";

/*
 * Requests to other servers. Whoever runs one may answer with any amount of data, also packed, and as slowly as they like. So the type
 * of an answer has no body: only this file reads one, within a limit of bytes and of time.
 */

/** The answer of another server; its body is read with `fetchAnswer` or `openBody`. */
export interface RemoteResponse {
  readonly status: number;
  readonly headers: Headers;
}

/** Sends a request to another server. */
export type RemoteFetch = (request: Request) => Promise<RemoteResponse>;

export interface AnswerLimits {
  /** Counted as the runtime unpacks the body, so that a packed one cannot be larger. */
  readonly maxBytes: number;
  /** Covers the request and its whole answer. */
  readonly timeoutMs: number;
}

export interface Answer extends RemoteResponse {
  /** At most `maxBytes`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** `cut`: the body is larger. `broken`: it ended with `error`, which is a `TimeoutError` after the time limit. */
  readonly body: "whole" | "cut" | "broken";
  readonly error: unknown;
}

/** Sends a request and reads its answer. Throws when no answer begins within the time limit. */
export async function fetchAnswer(
  send: RemoteFetch,
  input: Request | string | URL,
  init: RequestInit,
  { maxBytes, timeoutMs }: AnswerLimits,
): Promise<Answer> {
  const abort = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new DOMException("no answer in time", "TimeoutError")), timeoutMs);
  try {
    const response = await Promise.race([send(new Request(input, { ...init, signal: abort.signal })), timeout.promise]);
    const { status, headers } = response;
    return { status, headers, ...(await readBody(response, maxBytes, timeout.promise)) };
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

async function readBody(
  response: RemoteResponse,
  maxBytes: number,
  timeout: Promise<never>,
): Promise<Pick<Answer, "bytes" | "body" | "error">> {
  const stream = openBody(response);
  if (!stream) {
    return { bytes: new Uint8Array(), body: "whole", error: null };
  }
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), timeout]);
      if (done) {
        return { bytes: concatBytes(chunks), body: "whole", error: null };
      }
      chunks.push(value.subarray(0, maxBytes - size));
      size += value.byteLength;
      if (size > maxBytes) {
        return { bytes: concatBytes(chunks), body: "cut", error: null };
      }
    }
  } catch (error) {
    return { bytes: concatBytes(chunks), body: "broken", error };
  } finally {
    // An unread body would keep its connection open.
    reader.cancel().catch(() => undefined);
  }
}

/** The body of an answer as a stream, for files, which have limits of their own. The cast is the only way to a body. */
export function openBody(response: RemoteResponse): ReadableStream<Uint8Array> | null {
  return (response as Response).body;
}
