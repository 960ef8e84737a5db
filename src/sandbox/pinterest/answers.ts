import type { Sim } from "#sandbox/contract.ts";

/* The error body of v5, and the request id on everything. */

export function answer(sim: Sim, status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "x-pinterest-rid": sim.id(16) } });
}

export const fail = (sim: Sim, status: number, code: number, message: string): Response =>
  answer(sim, status, { code, message });

export const invalid = (sim: Sim, message: string): Response => fail(sim, 400, 1, `Invalid parameters ${message}`);

export const unauthorized = (sim: Sim): Response => fail(sim, 401, 2, "Authentication failed.");

export const scopeMissing = (sim: Sim): Response =>
  fail(sim, 403, 3, "Your application consumer does not have the required scopes.");

export const noBoard = (sim: Sim): Response => fail(sim, 404, 40, "Board not found.");

export const noPin = (sim: Sim): Response => fail(sim, 404, 50, "Pin not found.");

export const unreachable = (sim: Sim): Response =>
  fail(sim, 400, 1, "Unable to reach the URL. Please check the URL and try again.");
