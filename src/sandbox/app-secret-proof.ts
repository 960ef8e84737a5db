import { toHex } from "#core/encoding.ts";
import type { SimulatorContext } from "./contract.ts";
import { graphError, type Params, textParam } from "./graph-api.ts";

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
