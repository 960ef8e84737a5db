import type { Ids } from "#core/ids.ts";

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The caller's own `X-Request-Id` if it is valid; otherwise a new id. */
export function getRequestId(request: Request, ids: Pick<Ids, "secretUuid">): string {
  const callerId = request.headers.get("x-request-id");
  return callerId !== null && VISIBLE_ASCII.test(callerId) ? callerId : ids.secretUuid();
}
