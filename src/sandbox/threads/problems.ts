import type { Sim } from "#sandbox/contract.ts";
import { graphError } from "#sandbox/graph.ts";

/* What this API says beside the family's usual words: platforms/threads.md part 4. */

export const invalid = (sim: Sim, message: string): Response =>
  graphError(sim, { code: 100, type: "THApiException", message });

export const noField = (sim: Sim, field: string): Response =>
  invalid(sim, `Tried accessing nonexisting field (${field})`);

/** Also for what is there and not yet visible: the most frequent error of all. */
export const notFound = (sim: Sim, id: string): Response =>
  graphError(sim, {
    code: 24,
    subcode: 4_279_009,
    message: "The requested resource does not exist",
    title: "Media Not Found",
    userMessage: `The media with id ${id} cannot be found.`,
  });

export const expired = (sim: Sim): Response =>
  graphError(sim, {
    status: 401,
    code: 190,
    subcode: 463,
    message: "Error validating access token: Session has expired.",
  });

export const badSecret = (sim: Sim): Response =>
  graphError(sim, { code: 101, message: "Error validating client secret." });
