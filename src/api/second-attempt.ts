import type { ApiContext } from "./env.ts";

interface FirstAttempt {
  /** The body as `readBytes` returned it; undefined if it was not read. */
  readonly bytes: Uint8Array | null | undefined;
  /** False when a write may have happened although its answer was lost: then only the credential is checked again. */
  readonly mayRunAgain: boolean;
}

const firstAttempts = new WeakMap<Request, FirstAttempt>();

/** Creates the same call again with a fresh authentication. The first attempt has already read its body. */
export function secondAttempt(c: ApiContext, { mayRunAgain }: Pick<FirstAttempt, "mayRunAgain">): Request {
  const { url, method, headers } = c.req.raw;
  const request = new Request(url, { method, headers });
  request.headers.set("X-Request-Id", c.get("requestId"));
  firstAttempts.set(request, { bytes: c.get("bodyBytes"), mayRunAgain });
  return request;
}

/** The first attempt of this call; undefined if this is the first. */
export function firstAttemptOf(request: Request): FirstAttempt | undefined {
  return firstAttempts.get(request);
}
