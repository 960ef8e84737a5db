/* Error responses of the versioned API (platforms/linkedin.md part 4). */

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

export const versionMissing = (): Response =>
  errorResponse(
    400,
    "VERSION_MISSING",
    "A version must be present. Please specify a version by adding the LinkedIn-Version header.",
  );

/** The error for a field that the caller may not send. The wording is from https://github.com/artesaos/laravel-linkedin/issues/20. */
export const unpermittedFields = (field: string): Response =>
  errorResponse(
    403,
    "ACCESS_DENIED",
    `Unpermitted fields present in REQUEST_BODY: Data Processing Exception while processing fields [/${field.replaceAll(".", "/")}]`,
    100,
  );

/**
 * The error for a call that only administrators may make. The body is quoted by
 * https://github.com/PipedreamHQ/pipedream/issues/21823.
 */
export const adminOnly = (urn: string): Response =>
  errorResponse(
    403,
    "ACCESS_DENIED",
    `Viewer don't have permission to the ADMIN_ONLY VisibilityReduction for ${urn}`,
    100,
  );
