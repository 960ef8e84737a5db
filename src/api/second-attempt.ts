import type { ApiContext } from "./env.ts";

interface FirstAttempt {
  /** The body that the first attempt read; undefined if it read none. */
  readonly bytes: Uint8Array | null | undefined;
  /**
   * False if a write may have happened although its answer was lost. The second attempt then only checks the credential
   * again.
   */
  readonly mayRunAgain: boolean;
}

const firstAttempts = new WeakMap<Request, FirstAttempt>();

/**
 * Creates the request for a second attempt, which authenticates again. It gets the body from the first attempt, which
 * has consumed it.
 */
export function secondAttempt(c: ApiContext, { mayRunAgain }: Pick<FirstAttempt, "mayRunAgain">): Request {
  const { url, method, headers } = c.req.raw;
  const request = new Request(url, { method, headers });
  request.headers.set("X-Request-Id", c.get("requestId"));
  firstAttempts.set(request, { bytes: c.get("bodyBytes"), mayRunAgain });
  return request;
}

/** The first attempt of this request; undefined if the request is itself the first. */
export function firstAttemptOf(request: Request): FirstAttempt | undefined {
  return firstAttempts.get(request);
}
