import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";

/* The envelope of every v2 response: `error.code` is "ok" on success, and errors may come with status 200. */

export const newLogId = (sim: SimulatorContext): string => `2026${sim.newId(20)}`;

export function envelope(
  sim: SimulatorContext,
  status: number,
  code: string,
  message: string,
  data: JsonObject = {},
): Response {
  return Response.json({ data, error: { code, message, log_id: newLogId(sim) } }, { status });
}

export const okResponse = (sim: SimulatorContext, data: JsonObject): Response => envelope(sim, 200, "ok", "", data);

export const invalidParams = (sim: SimulatorContext, message: string): Response =>
  envelope(sim, 400, "invalid_params", message);

export const missingScope = (sim: SimulatorContext): Response =>
  envelope(
    sim,
    401,
    "scope_not_authorized",
    "The user did not authorize the scope required for completing this request.",
  );

export const unauthorized = (sim: SimulatorContext): Response =>
  envelope(sim, 401, "access_token_invalid", "The access token is invalid or not found in the request.");
