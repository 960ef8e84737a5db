import type { SimulatorContext } from "#sandbox/contract.ts";
import { findOperation, topMembers } from "#sandbox/operation.ts";
import { type Client, resolveClient } from "./client-metadata.ts";
import { checkProof, currentNonce, isProblem } from "./dpop.ts";
import { isSignedBy, parseJwt, takeOnce, thumbprint } from "./jwt.ts";
import { isLenient } from "./leniency.ts";
import { OPERATIONS } from "./operations.ts";
import { dpopChallenge, invalidClient, invalidRequest, oauthError } from "./responses.ts";

/* Authenticates the client of a pushed request, token or revocation: form, DPoP proof and client assertion (rules 4
   to 7). */

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_AGE_SECONDS = 60;
const MAX_JTI_LENGTH = 256;

export interface AuthenticatedForm {
  readonly client: Client;
  /** The thumbprint of the key that signed the assertion. Null for a public client. */
  readonly authJkt: string | null;
  /** The thumbprint of the key of the DPoP proof. Null only if a pushed request without DPoP is allowed. */
  readonly dpopJkt: string | null;
  readonly field: (name: string) => string;
}

async function readStrictForm(request: Request, sim: SimulatorContext): Promise<URLSearchParams | Response> {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/.test(request.headers.get("content-type") ?? "")) {
    return invalidRequest("The content type must be application/x-www-form-urlencoded");
  }
  if (new URL(request.url).search !== "") {
    return invalidRequest("Parameters belong into the body");
  }
  const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
  const names = [...form.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    return invalidRequest(`Duplicate parameter "${repeated}"`);
  }
  const operation = findOperation(OPERATIONS, request.method, new URL(request.url));
  const fields = operation ? topMembers(operation) : [];
  const unknown = names.find((name) => !fields.includes(name));
  return unknown === undefined || isLenient(sim, "unknown_parameters")
    ? form
    : invalidRequest(`Unknown parameter "${unknown}"`);
}

const failed = (reason: string): Response => invalidClient(`Validation of "client_assertion" failed: ${reason}`);

/** The thumbprint of the key that signed the assertion. */
async function checkAssertion(
  sim: SimulatorContext,
  client: Client,
  assertion: string,
  issuer: string,
  dpopJkt: string | null,
): Promise<string | Response> {
  const jwt = parseJwt(assertion);
  if (!jwt || jwt.header["alg"] !== "ES256") {
    return failed("not a JWT signed with ES256");
  }
  const { kid } = jwt.header;
  if (typeof kid !== "string") {
    return invalidClient('"kid" required in client_assertion');
  }
  const key = client.keys.find((one) => one.kid === kid)?.key;
  if (!key) {
    return failed("no applicable key found in the JSON Web Key Set");
  }
  if (!(await isSignedBy(jwt, key))) {
    return failed("signature verification failed");
  }
  const { iss, sub, aud, iat, exp, jti } = jwt.payload;
  const now = sim.now() / 1000;
  if (iss !== client.id || sub !== client.id) {
    return failed('unexpected "iss" or "sub" claim value');
  }
  if (aud !== issuer) {
    return failed('unexpected "aud" claim value');
  }
  // Allow an `iat` one second ahead, because a client's clock may round up.
  if (typeof iat !== "number" || now - iat > ASSERTION_AGE_SECONDS || iat > now + 1) {
    return failed('"iat" claim timestamp check failed');
  }
  const isExpired =
    typeof exp === "number" ? exp <= now : exp !== undefined || !isLenient(sim, "assertion_without_exp");
  if (isExpired) {
    return failed('"exp" claim timestamp check failed');
  }
  if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI_LENGTH) {
    return failed('missing required "jti" claim');
  }
  const jkt = await thumbprint(key);
  if (jkt === dpopJkt) {
    return failed("the key of the client must not be the key of the DPoP proof");
  }
  return takeOnce(sim, `assertion:${jti}`, 2 * ASSERTION_AGE_SECONDS) ? jkt : failed('"jti" was used before');
}

async function checkAuthentication(
  sim: SimulatorContext,
  client: Client,
  form: URLSearchParams,
  issuer: string,
  dpopJkt: string | null,
): Promise<string | null | Response> {
  const assertion = form.get("client_assertion");
  if (client.method === "none") {
    const isBare = assertion === null && !form.has("client_assertion_type");
    return isBare ? null : invalidClient('client authentication method "none" takes no client_assertion');
  }
  if (assertion === null || form.get("client_assertion_type") !== ASSERTION_TYPE) {
    return invalidRequest('client authentication method "private_key_jwt" required a "client_assertion"');
  }
  return checkAssertion(sim, client, assertion, issuer, dpopJkt);
}

/**
 * Reads an authenticated form. The proof is checked first: a refusal because of the nonce uses up nothing, not even the
 * assertion.
 */
async function readAuthenticatedForm(
  request: Request,
  sim: SimulatorContext,
  isProofRequired: boolean,
): Promise<AuthenticatedForm | Response> {
  const form = await readStrictForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const proof = await checkProof(request, sim, null);
  if (proof === null && isProofRequired) {
    return proofRefusal("DPoP proof required");
  }
  if (proof && isProblem(proof)) {
    return proof.error === "use_dpop_nonce" ? oauthError(400, proof.error, proof.text) : proofRefusal(proof.text);
  }
  const dpopJkt = proof?.jkt ?? null;
  const client = await resolveClient(sim, form.get("client_id") ?? "");
  if (client instanceof Response) {
    return client;
  }
  const authJkt = await checkAuthentication(sim, client, form, new URL(request.url).origin, dpopJkt);
  return authJkt instanceof Response ? authJkt : { client, authJkt, dpopJkt, field: (name) => form.get(name) ?? "" };
}

function proofRefusal(text: string): Response {
  const response = oauthError(401, "invalid_dpop_proof", text);
  response.headers.set("www-authenticate", dpopChallenge("invalid_dpop_proof", text));
  return response;
}

/** Calls `handle` for an authenticated client. Every answer contains the host's nonce. */
export async function withAuthenticatedForm(
  request: Request,
  sim: SimulatorContext,
  handle: (form: AuthenticatedForm) => Response | Promise<Response>,
  isProofRequired = true,
): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim, isProofRequired);
  const response = form instanceof Response ? form : await handle(form);
  response.headers.set("dpop-nonce", await currentNonce(sim, new URL(request.url).hostname));
  return response;
}
