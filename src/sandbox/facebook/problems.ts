import type { Sim } from "#sandbox/contract.ts";
import { graphError } from "#sandbox/graph.ts";

/* The refusals of part 4 that more than one edge gives. */

export const permission = (sim: Sim, message: string): Response =>
  graphError(sim, { status: 403, code: 200, message: `(#200) ${message}` });

export const invalid = (sim: Sim, message: string): Response =>
  graphError(sim, { code: 100, message: `(#100) ${message}` });

export const missing = (sim: Sim, id: string): Response =>
  graphError(sim, {
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  });
