import type { SimulatorContext } from "#sandbox/contract.ts";
import { graphError } from "#sandbox/graph-api.ts";

/* Error responses that several edges share (platforms/facebook.md part 4). */

export const permissionDenied = (sim: SimulatorContext, message: string): Response =>
  graphError(sim, { status: 403, code: 200, message: `(#200) ${message}` });

export const invalidParameter = (sim: SimulatorContext, message: string): Response =>
  graphError(sim, { code: 100, message: `(#100) ${message}` });

export const objectNotFound = (sim: SimulatorContext, id: string): Response =>
  graphError(sim, {
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  });
