import type { SimulatorContext } from "#sandbox/contract.ts";
import { graphError } from "#sandbox/graph-api.ts";

/* Error responses of the Threads API (platforms/threads.md part 4). */

export const invalidParameter = (sim: SimulatorContext, message: string): Response =>
  graphError(sim, { code: 100, type: "THApiException", message });

export const fieldNotFound = (sim: SimulatorContext, field: string): Response =>
  invalidParameter(sim, `Tried accessing nonexisting field (${field})`);

/**
 * The error for an object that does not exist. An object that exists but is not visible yet gives the same error, which
 * is the usual case.
 */
export const mediaNotFound = (sim: SimulatorContext, id: string): Response =>
  graphError(sim, {
    code: 24,
    subcode: 4_279_009,
    message: "The requested resource does not exist",
    title: "Media Not Found",
    userMessage: `The media with id ${id} cannot be found.`,
  });

export const tokenExpired = (sim: SimulatorContext): Response =>
  graphError(sim, {
    status: 401,
    code: 190,
    subcode: 463,
    message: "Error validating access token: Session has expired.",
  });

export const invalidClientSecret = (sim: SimulatorContext): Response =>
  graphError(sim, { code: 101, message: "Error validating client secret." });

export const missingPermission = (sim: SimulatorContext, scope: string): Response =>
  graphError(sim, {
    status: 403,
    code: 10,
    message: `(#10) Application does not have permission for this action: ${scope}`,
  });
