import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";

/* The one envelope of the v2 API: success is the word `ok`, whatever the status. */

export const logId = (sim: Sim): string => `2026${sim.id(20)}`;

export function envelope(sim: Sim, status: number, code: string, message: string, data: JsonObject = {}): Response {
  return Response.json({ data, error: { code, message, log_id: logId(sim) } }, { status });
}

export const ok = (sim: Sim, data: JsonObject): Response => envelope(sim, 200, "ok", "", data);

export const invalid = (sim: Sim, message: string): Response => envelope(sim, 400, "invalid_params", message);

export const scopeMissing = (sim: Sim): Response =>
  envelope(
    sim,
    401,
    "scope_not_authorized",
    "The user did not authorize the scope required for completing this request.",
  );

export const unauthorized = (sim: Sim): Response =>
  envelope(sim, 401, "access_token_invalid", "The access token is invalid or not found in the request.");
