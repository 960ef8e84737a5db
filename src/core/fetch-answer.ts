import { concatBytes } from "./bytes.ts";

/* Sends requests to other servers. Such a server may answer with any amount of data, even compressed, and as slowly
   as it likes. So `RemoteResponse` has no body: only this file reads bodies, with a limit of bytes and of time. */

/** The answer of another server without its body, which only `fetchAnswer` and `openBody` read. */
export interface RemoteResponse {
  readonly status: number;
  readonly headers: Headers;
}

/** Sends a request to another server. The type of the answer has no body, so that it cannot be read without limits. */
export type RemoteFetch = (request: Request) => Promise<RemoteResponse>;

export interface AnswerLimits {
  /**
   * The limit of the body in bytes. The runtime decompresses before they are counted, so a small compressed body cannot
   * exceed it.
   */
  readonly maxBytes: number;
  /** The time limit (ms) for the request and its whole answer. */
  readonly timeoutMs: number;
}

export interface Answer extends RemoteResponse {
  /** The bytes that were read, at most `maxBytes`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * `cut`: the body is larger than the limit. `broken`: it ended with `error`, which is a `TimeoutError` after the time
   * limit.
   */
  readonly body: "whole" | "cut" | "broken";
  readonly error: unknown;
}

/** Sends a request and reads the answer. Throws only if no answer begins within the time limit. */
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
    // Cancel the body: an unread one would keep its connection open.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * The body of an answer as a stream. Only for files, which have their own limits. The type hides bodies, so this cast
 * is the only way to one.
 */
export function openBody(response: RemoteResponse): ReadableStream<Uint8Array> | null {
  return (response as Response).body;
}
