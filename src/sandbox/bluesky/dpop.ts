import type { SimulatorContext } from "#sandbox/contract.ts";
import { isSignedBy, parseJwt, s256, takeOnce, thumbprint, toPublicKey } from "./jwt.ts";
import { isLenient } from "./leniency.ts";

/* DPoP proofs and nonces (section 1.4, rules 5 and 6; op/dpop). */

const NONCE_WINDOW_MS = 60_000;
const NONCES_ACCEPTED = 3;
const PROOF_AGE_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 180;
const MAX_JTI_LENGTH = 256;

export interface ProofProblem {
  readonly error: "use_dpop_nonce" | "invalid_dpop_proof";
  readonly text: string;
}

export interface Proof {
  readonly jkt: string;
}

/** The nonce of a host for one minute. */
function nonceOf(sim: SimulatorContext, host: string, window: number): Promise<string> {
  let secret = sim.store.get<string>("nonce-secret");
  if (secret === undefined) {
    secret = sim.newSecret("");
    sim.store.put("nonce-secret", secret);
  }
  return s256(`${secret} ${host} ${window}`);
}

const currentWindow = (sim: SimulatorContext): number => Math.floor(sim.now() / NONCE_WINDOW_MS);

export const currentNonce = (sim: SimulatorContext, host: string): Promise<string> =>
  nonceOf(sim, host, currentWindow(sim));

async function isAcceptedNonce(sim: SimulatorContext, host: string, nonce: string): Promise<boolean> {
  const window = currentWindow(sim);
  const accepted = await Promise.all(
    Array.from({ length: NONCES_ACCEPTED }, (_, age) => nonceOf(sim, host, window - age)),
  );
  return accepted.includes(nonce);
}

const invalid = (text: string): ProofProblem => ({ error: "invalid_dpop_proof", text });

function findClaimProblem(
  payload: Readonly<Record<string, unknown>>,
  request: Request,
  sim: SimulatorContext,
  expectedAth: string | null,
): string | null {
  const { htm, htu, ath } = payload;
  const url = new URL(request.url);
  if (htm !== request.method) {
    return 'DPoP "htm" mismatch';
  }
  const htuWithoutQuery = isLenient(sim, "htu_query") ? String(htu).replace(/[?#].*$/, "") : htu;
  if (htuWithoutQuery !== url.origin + url.pathname) {
    return 'DPoP "htu" mismatch';
  }
  if (expectedAth === null) {
    return ath === undefined ? null : 'DPoP "ath" claim not allowed';
  }
  return ath === expectedAth ? null : 'DPoP "ath" mismatch';
}

/**
 * Checks a DPoP proof; null if there is none. `accessToken` is null at the authorization server, where `ath` is
 * forbidden.
 */
export async function checkProof(
  request: Request,
  sim: SimulatorContext,
  accessToken: string | null,
): Promise<Proof | ProofProblem | null> {
  const header = request.headers.get("dpop");
  if (header === null) {
    return null;
  }
  const proof = parseJwt(header);
  const key = toPublicKey(proof?.header["jwk"]);
  if (!proof || !key || proof.header["typ"] !== "dpop+jwt" || proof.header["alg"] !== "ES256") {
    return invalid("Failed to verify DPoP proof: typ must be dpop+jwt, alg ES256 and jwk a public P-256 key");
  }
  const [jkt, isGenuine, ath] = await Promise.all([
    thumbprint(key),
    isSignedBy(proof, key),
    accessToken === null ? null : s256(accessToken),
  ]);
  if (!isGenuine) {
    return invalid("Failed to verify DPoP proof: signature verification failed");
  }
  const { iat, jti, nonce } = proof.payload;
  const age = typeof iat === "number" ? sim.now() / 1000 - iat : Number.NaN;
  // The negation also refuses an `iat` that is not a number.
  if (!(age >= -CLOCK_TOLERANCE_SECONDS && age <= PROOF_AGE_SECONDS + CLOCK_TOLERANCE_SECONDS)) {
    return invalid('Failed to verify DPoP proof: "iat" claim timestamp check failed');
  }
  if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI_LENGTH) {
    return invalid('DPoP "jti" missing');
  }
  const host = new URL(request.url).hostname;
  if (nonce === undefined) {
    const server = accessToken === null ? "Authorization server" : "Resource server";
    return { error: "use_dpop_nonce", text: `${server} requires nonce in DPoP proof` };
  }
  if (typeof nonce !== "string" || !(await isAcceptedNonce(sim, host, nonce))) {
    return { error: "use_dpop_nonce", text: 'DPoP "nonce" mismatch' };
  }
  const problem = findClaimProblem(proof.payload, request, sim, ath);
  if (problem !== null) {
    return invalid(problem);
  }
  return takeOnce(sim, `dpop:${jti}`, PROOF_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS)
    ? { jkt }
    : invalid("DPoP proof replayed");
}

export const isProblem = (proof: Proof | ProofProblem): proof is ProofProblem => "error" in proof;
