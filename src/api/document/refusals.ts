import type { RouteConfig } from "@hono/zod-openapi";

/** The answers every operation shares, by status, under the names they have in the document. */
export const REFUSAL_NAMES = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
} as const;

export type RefusalStatus = keyof typeof REFUSAL_NAMES;

const reference = (status: RefusalStatus) => ({ $ref: `#/components/responses/${REFUSAL_NAMES[status]}` });

/** For operations that name a row: it is not there, or it is somebody else's. */
export const NOT_FOUND = { 404: reference(404) };

/** What an operation can refuse follows from what it takes. */
export function refusalsOf({ method, request }: Pick<RouteConfig, "method" | "request">) {
  const writes = method !== "get";
  return {
    ...((writes || request) && { 400: reference(400) }),
    401: reference(401),
    403: reference(403),
    ...(writes && { 409: reference(409) }),
    ...(request?.body && { 413: reference(413), 415: reference(415) }),
    429: reference(429),
    500: reference(500),
  };
}
