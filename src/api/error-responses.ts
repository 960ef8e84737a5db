import type { RouteConfig } from "@hono/zod-openapi";

/** Names of the OpenAPI components for error responses that operations share. */
export const ERROR_RESPONSE_NAMES = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "Overloaded",
} as const;

export type ErrorStatus = keyof typeof ERROR_RESPONSE_NAMES;

const reference = (status: ErrorStatus) => ({ $ref: `#/components/responses/${ERROR_RESPONSE_NAMES[status]}` });

/**
 * The 404 of an operation whose body or query names a resource. The resource may not exist or may belong to another
 * user.
 */
export const NOT_FOUND = { 404: reference(404) };

/** The error responses of an operation, derived from its method, path and input. */
export function errorResponsesFor({ method, path, request }: Pick<RouteConfig, "method" | "path" | "request">) {
  const writes = method !== "get";
  return {
    ...((writes || request) && { 400: reference(400) }),
    401: reference(401),
    403: reference(403),
    ...(path.includes("{") && NOT_FOUND),
    ...(writes && { 409: reference(409) }),
    ...(request?.body && { 413: reference(413), 415: reference(415) }),
    429: reference(429),
    500: reference(500),
    503: reference(503),
  };
}
