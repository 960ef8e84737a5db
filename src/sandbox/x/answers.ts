import type { JsonObject } from "#core/json.ts";

/* The three error shapes of the v2 API. */

const PROBLEMS = "https://api.x.com/2/problems";

/** Problem JSON; `kind` is the last part of its type. */
export function problem(status: number, kind: string, title: string, detail: string, more: JsonObject = {}): Response {
  return Response.json({ title, detail, type: `${PROBLEMS}/${kind}`, status, ...more }, { status });
}

const blank = (status: number, title: string): Response =>
  Response.json({ title, type: "about:blank", status, detail: title }, { status });

export const unauthorized = (): Response => blank(401, "Unauthorized");
export const tooMany = (): Response => blank(429, "Too Many Requests");
export const notFound = (): Response => blank(404, "Not Found");
/** What a missing scope looks like. */
export const missingScope = (): Response => blank(403, "Forbidden");
export const unavailable = (): Response => blank(503, "Service Unavailable");

export function forbidden(detail: string): Response {
  return Response.json({ title: "Forbidden", type: "about:blank", status: 403, detail }, { status: 403 });
}

export function invalid(message: string, parameters: JsonObject = {}): Response {
  return Response.json(
    {
      errors: [{ message, parameters }],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: `${PROBLEMS}/invalid-request`,
    },
    { status: 400 },
  );
}

/** A read of something that is not there: 200 with `errors` and no `data`. */
export function absent(resource: string, parameter: string, value: string): JsonObject {
  return {
    value,
    detail: `Could not find ${resource} with ${parameter}: [${value}].`,
    title: "Not Found Error",
    resource_type: resource,
    parameter,
    resource_id: value,
    type: `${PROBLEMS}/resource-not-found`,
  };
}
