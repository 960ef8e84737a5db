/* Error responses of the versioned API: platforms/linkedin.md part 4. */

export function errorResponse(status: number, code: string, message: string, serviceErrorCode?: number): Response {
  return Response.json(
    { status, code, message, ...(serviceErrorCode !== undefined && { serviceErrorCode }) },
    { status },
  );
}

export const accessDenied = (resource: string): Response =>
  errorResponse(403, "ACCESS_DENIED", `Not enough permissions to access: ${resource}`, 100);

export const missingField = (path: string, status = 400): Response =>
  errorResponse(
    status,
    "MISSING_FIELD",
    `ERROR :: ${path} :: field is required but not found and has no default value`,
  );

export const invalidValue = (message: string): Response => errorResponse(400, "INVALID_VALUE_FOR_FIELD", message);

export const resourceNotFound = (message: string): Response => errorResponse(404, "RESOURCE_NOT_FOUND", message);
