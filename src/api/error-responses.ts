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
 * The error responses of an operation, derived from its method and input. Every call may name a workspace wrongly (400),
 * or one that it cannot reach (404).
 */
export function errorResponsesFor({ method, request }: Pick<RouteConfig, "method" | "request">) {
  const writes = method !== "get";
  return {
    400: reference(400),
    401: reference(401),
    403: reference(403),
    404: reference(404),
    ...(writes && { 409: reference(409) }),
    ...(request?.body && { 413: reference(413), 415: reference(415) }),
    429: reference(429),
    500: reference(500),
    503: reference(503),
  };
}
