import type { Ids } from "#core/ids.ts";

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The caller's own name for the call where it can be carried on, else a fresh one. */
export function requestIdOf(request: Request, ids: Pick<Ids, "uuid">): string {
  const own = request.headers.get("x-request-id");
  return own !== null && VISIBLE_ASCII.test(own) ? own : ids.uuid();
}
