import type { SimulatorContext } from "#sandbox/contract.ts";

/* The error body of v5, and the request id header of every response. */

export function jsonResponse(sim: SimulatorContext, status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "x-pinterest-rid": sim.newId(16) } });
}

export const errorResponse = (sim: SimulatorContext, status: number, code: number, message: string): Response =>
  jsonResponse(sim, status, { code, message });

export const invalidParameters = (sim: SimulatorContext, message: string): Response =>
  errorResponse(sim, 400, 1, `Invalid parameters ${message}`);

export const unauthorized = (sim: SimulatorContext): Response => errorResponse(sim, 401, 2, "Authentication failed.");

/**
 * The error for a code or refresh token that is used, expired or unknown:
 * https://github.com/pinterest/pinterest-python-sdk/issues/114.
 */
export const invalidGrant = (sim: SimulatorContext): Response =>
  errorResponse(sim, 401, 283, "The authorization grant is invalid");

/**
 * The error for a missing scope. Its status and text are from https://github.com/pinterest/api-quickstart/issues/97.
 */
export const missingScope = (sim: SimulatorContext): Response =>
  errorResponse(
    sim,
    401,
    3,
    "Your token does not have sufficient permissions to perform this operation. Please ensure your token is authorized with the correct set of scopes.",
  );

export const boardNotFound = (sim: SimulatorContext): Response => errorResponse(sim, 404, 40, "Board not found.");

export const pinNotFound = (sim: SimulatorContext): Response => errorResponse(sim, 404, 50, "Pin not found.");

export const unreachableUrl = (sim: SimulatorContext): Response =>
  errorResponse(sim, 400, 1, "Unable to reach the URL. Please check the URL and try again.");
