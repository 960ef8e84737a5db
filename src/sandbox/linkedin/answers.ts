/* The error envelope of the versioned API. */

export function problem(status: number, code: string, message: string, serviceErrorCode?: number): Response {
  return Response.json(
    { status, code, message, ...(serviceErrorCode !== undefined && { serviceErrorCode }) },
    { status },
  );
}

export const forbidden = (what: string): Response =>
  problem(403, "ACCESS_DENIED", `Not enough permissions to access: ${what}`, 100);

export const missingField = (path: string, status = 400): Response =>
  problem(status, "MISSING_FIELD", `ERROR :: ${path} :: field is required but not found and has no default value`);

export const invalidValue = (message: string): Response => problem(400, "INVALID_VALUE_FOR_FIELD", message);

export const noSuchResource = (message: string): Response => problem(404, "RESOURCE_NOT_FOUND", message);
