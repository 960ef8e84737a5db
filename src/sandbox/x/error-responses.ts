import type { JsonObject } from "#core/json.ts";

/* The three error formats of the v2 API. */

const PROBLEM_TYPES_URL = "https://api.x.com/2/problems";

/** Problem details (RFC 9457, JSON error format); `kind` is the last path segment of `type`. */
export function errorResponse(
  status: number,
  kind: string,
  title: string,
  detail: string,
  more: JsonObject = {},
): Response {
  return Response.json({ title, detail, type: `${PROBLEM_TYPES_URL}/${kind}`, status, ...more }, { status });
}

const errorWithoutType = (status: number, title: string): Response =>
  Response.json({ title, type: "about:blank", status, detail: title }, { status });

export const unauthorized = (): Response => errorWithoutType(401, "Unauthorized");
export const tooManyRequests = (): Response => errorWithoutType(429, "Too Many Requests");
export const notFound = (): Response => errorWithoutType(404, "Not Found");
export const missingScope = (): Response => errorWithoutType(403, "Forbidden");
export const serviceUnavailable = (): Response => errorWithoutType(503, "Service Unavailable");

export function forbidden(detail: string): Response {
  return Response.json({ title: "Forbidden", type: "about:blank", status: 403, detail }, { status: 403 });
}

export function invalidRequest(message: string, parameters: JsonObject = {}): Response {
  return Response.json(
    {
      errors: [{ message, parameters }],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: `${PROBLEM_TYPES_URL}/invalid-request`,
    },
    { status: 400 },
  );
}

/** An entry of `errors`: reading something that does not exist answers 200 with `errors` and no `data`. */
export function notFoundError(resource: string, parameter: string, value: string): JsonObject {
  return {
    value,
    detail: `Could not find ${resource} with ${parameter}: [${value}].`,
    title: "Not Found Error",
    resource_type: resource,
    parameter,
    resource_id: value,
    type: `${PROBLEM_TYPES_URL}/resource-not-found`,
  };
}
