/* The error envelope of Google's APIs. */

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

export function errorResponse(code: number, reason: string, message: string, domain = "youtube.video"): Response {
  return Response.json(
    { error: { code, message, errors: [{ message, domain, reason }], status: STATUS_NAMES[code] ?? "UNKNOWN" } },
    { status: code },
  );
}

export const insufficientScopes = (): Response =>
  errorResponse(403, "insufficientPermissions", "Request had insufficient authentication scopes.", "global");

export const missingParameter = (name: string): Response =>
  errorResponse(400, "missingRequiredParameter", `Missing required parameter: ${name}`, "global");
