/* The error envelope of Google's APIs. */

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

export function problem(code: number, reason: string, message: string, domain = "youtube.video"): Response {
  return Response.json(
    { error: { code, message, errors: [{ message, domain, reason }], status: STATUS_WORDS[code] ?? "UNKNOWN" } },
    { status: code },
  );
}

export const insufficient = (): Response =>
  problem(403, "insufficientPermissions", "Request had insufficient authentication scopes.", "global");

export const missingParameter = (name: string): Response =>
  problem(400, "missingRequiredParameter", `Missing required parameter: ${name}`, "global");
