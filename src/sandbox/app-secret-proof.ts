import { toHex } from "#core/encoding.ts";
import type { SimulatorContext } from "./contract.ts";
import { graphError, type Params, textParam } from "./graph-api.ts";
import { bearerToken } from "./oauth-server.ts";

/* The simulated `appsecret_proof` ("Secure Graph API Calls" in Meta's Graph API guides). */

const proofError = (sim: SimulatorContext, message: string): Response =>
  graphError(sim, { code: 100, type: "GraphMethodException", message });

/** Refuses a call whose proof is wrong, or missing although the app requires one. */
export async function refuseProof(
  sim: SimulatorContext,
  params: Params,
  secret: string,
  isRequired: boolean,
): Promise<Response | null> {
  const proof = textParam(params, "appsecret_proof");
  if (proof === null) {
    return isRequired ? proofError(sim, "API calls from the server require an appsecret_proof argument") : null;
  }
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(sim.app.clientSecret), algorithm, false, ["sign"]);
  const expected = toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(secret))));
  return expected === proof ? null : proofError(sim, "Invalid appsecret_proof provided in the API argument");
}

/**
 * Refuses a call by one of two readings, because Meta does not document the proof for Instagram Login and Threads. By
 * default the proof is required, as for an app with "Require App Secret". With `refuse_proof` it is an unknown parameter.
 */
export async function refuseUndocumentedProof(
  sim: SimulatorContext,
  request: Request,
  params: Params,
  invalidParameter: (sim: SimulatorContext, message: string) => Response,
): Promise<Response | null> {
  if (sim.settings.extra["refuse_proof"] === true) {
    return params.has("appsecret_proof") ? invalidParameter(sim, "The parameter appsecret_proof is not known") : null;
  }
  const isRequired = sim.settings.extra["require_proof"] !== false;
  return refuseProof(sim, params, bearerToken(request) ?? textParam(params, "access_token") ?? "", isRequired);
}
