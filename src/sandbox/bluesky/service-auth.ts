import { HOUR, MINUTE } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { type Caller, missingPermission } from "./authorization.ts";
import { mintToken, secretOfToken } from "./jwt.ts";
import { invalidXrpc, xrpcError } from "./responses.ts";
import { rpcPermission } from "./scopes.ts";
import { DID } from "./test-users.ts";

/* Tokens that let another service act for an account (section 3.5, rule 25; pds getServiceAuth). */

const LXM = /^[a-z][a-z0-9-]*(?:\.[a-zA-Z][a-zA-Z0-9-]*){2,}$/;

export type ServiceToken = {
  readonly login: string;
  readonly did: string;
  readonly aud: string;
  readonly lxm: string | null;
  readonly expiresAt: number;
};

const badExpiration = (message: string): Response => xrpcError(400, "BadExpiration", message);

/** When a token expires, in milliseconds. */
function readExpiration(sim: SimulatorContext, exp: string | null, lxm: string | null): number | Response {
  const now = sim.now();
  if (exp === null) {
    return now + MINUTE;
  }
  if (!/^\d{1,15}$/.test(exp)) {
    return invalidXrpc("Params/exp must be an integer");
  }
  const expiresAt = Number(exp) * 1000;
  if (expiresAt <= now) {
    return badExpiration("expiration is in past");
  }
  if (expiresAt - now > HOUR) {
    return badExpiration("cannot request a token with an expiration more than an hour in the future");
  }
  return lxm === null && expiresAt - now > MINUTE
    ? badExpiration("cannot request a method-less token with an expiration more than a minute in the future")
    : expiresAt;
}

/** Handles `GET com.atproto.server.getServiceAuth`. */
export function getServiceAuth(sim: SimulatorContext, caller: Caller, query: URLSearchParams): Response {
  const [aud, lxm] = [query.get("aud") ?? "", query.get("lxm")];
  const [did = "", fragment, ...rest] = aud.split("#");
  if (!DID.test(did) || fragment === "" || rest.length > 0) {
    return invalidXrpc("Params/aud must be a DID or a service reference");
  }
  if (lxm !== null && !LXM.test(lxm)) {
    return invalidXrpc("Params/lxm must be a valid nsid");
  }
  const refusal = missingPermission(caller, rpcPermission(lxm ?? "*", aud));
  if (refusal) {
    return refusal;
  }
  const expiresAt = readExpiration(sim, query.get("exp"), lxm);
  if (expiresAt instanceof Response) {
    return expiresAt;
  }
  const { token, secret } = mintToken(sim, "JWT", {
    iss: caller.user.did,
    aud,
    ...(lxm !== null && { lxm }),
    exp: Math.floor(expiresAt / 1000),
    jti: sim.newId(12),
  });
  const record: ServiceToken = { login: caller.user.name, did: caller.user.did, aud, lxm, expiresAt };
  sim.store.put(`service:${secret}`, record);
  return Response.json({ token });
}

/** Checks the token of a call to another service for its audience and method. */
export function checkServiceToken(
  request: Request,
  sim: SimulatorContext,
  aud: (token: ServiceToken) => string,
  lxm: string,
): ServiceToken | Response {
  const header = request.headers.get("authorization");
  if (header === null) {
    return xrpcError(401, "AuthMissing", "Authentication Required");
  }
  const secret = secretOfToken(/^Bearer (?<token>\S+)$/.exec(header)?.groups?.["token"] ?? "");
  const token = secret === null ? undefined : sim.store.get<ServiceToken>(`service:${secret}`);
  if (!token) {
    return xrpcError(401, "BadJwtSignature", "jwt signature does not match jwt issuer");
  }
  if (token.aud !== aud(token)) {
    return xrpcError(401, "BadJwtAudience", "jwt audience does not match service did");
  }
  if (token.lxm !== lxm) {
    return xrpcError(401, "BadJwtLexiconMethod", `bad jwt lexicon method ("lxm"). must match: ${lxm}`);
  }
  return token.expiresAt <= sim.now() ? xrpcError(401, "JwtExpired", "jwt expired") : token;
}
