import type { ApiContext } from "./env.ts";

interface FirstAttempt {
  /** The body as `readBytes` returned it; undefined if it was not read. */
  readonly bytes: Uint8Array | null | undefined;
  /** False when a write may have been done although its answer was lost: then only the credential is checked again. */
  readonly mayRunAgain: boolean;
}

const firstAttempts = new WeakMap<Request, FirstAttempt>();

/** The same call once more, for a caller that is authenticated afresh; its body was read by the first attempt. */
export function secondAttempt(c: ApiContext, { mayRunAgain }: Pick<FirstAttempt, "mayRunAgain">): Request {
  const { url, method, headers } = c.req.raw;
  const request = new Request(url, { method, headers });
  request.headers.set("X-Request-Id", c.get("requestId"));
  firstAttempts.set(request, { bytes: c.get("bodyBytes"), mayRunAgain });
  return request;
}

/** The attempt before this one; undefined for the first. */
export function firstAttemptOf(request: Request): FirstAttempt | undefined {
  return firstAttempts.get(request);
}
