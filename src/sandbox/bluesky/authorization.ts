import type { SimulatorContext } from "#sandbox/contract.ts";
import { checkProof, isProblem } from "./dpop.ts";
import { dpopChallenge, xrpcError } from "./responses.ts";
import { hasPermission, type Permission } from "./scopes.ts";
import { accountStatus, ENTRYWAY, findUserByName, pdsOf, type TestUser } from "./test-users.ts";
import { type AccessToken, findAccessToken, isAliveAtPds } from "./tokens.ts";

/* The caller of an XRPC method (rules 6, 12 and 13; pds auth-verifier.ts). */

export interface Caller {
  readonly user: TestUser;
  /** The granted scopes; null for an app password. */
  readonly scopes: readonly string[] | null;
}

const invalidToken = (message: string): Response => xrpcError(400, "InvalidToken", message);

/** The refusal of an OAuth token, which contains `WWW-Authenticate`. */
const oauthRefusal = (error: string, message: string): Response =>
  xrpcError(401, error, message, { "www-authenticate": dpopChallenge(error, message) });

function checkAccount(
  sim: SimulatorContext,
  record: AccessToken,
  host: string,
  isReadOnly: boolean,
): Caller | Response {
  const user = findUserByName(record.login);
  if (!user) {
    return invalidToken("Token could not be verified");
  }
  const status = accountStatus(sim);
  const caller: Caller = { user, scopes: record.scopes };
  if (status === "takendown" || status === "suspended") {
    return xrpcError(401, "AccountTakedown", "Account has been taken down");
  }
  if (status === "deleted") {
    return xrpcError(403, "AccountNotFound", "Account not found");
  }
  const hasMoved = pdsOf(sim, user).host !== host && host !== ENTRYWAY;
  return (status === "deactivated" || hasMoved) && !isReadOnly
    ? xrpcError(401, "AccountDeactivated", "Account is deactivated")
    : caller;
}

/** Checks the token of an app password's session. Every refusal is a 400. */
function checkBearer(sim: SimulatorContext, token: string, host: string, isReadOnly: boolean): Caller | Response {
  const found = findAccessToken(sim, token);
  if (!found) {
    const isJwt = token.split(".").length === 3;
    const isRefreshToken = isJwt && sim.store.get(`app-refresh:${token.split(".")[2]}`) !== undefined;
    return invalidToken(isRefreshToken ? "Bad token scope" : isJwt ? "Token could not be verified" : "Malformed token");
  }
  const { record } = found;
  if (record.kind === "oauth") {
    return invalidToken(host === ENTRYWAY ? "OAuth tokens are meant for PDS access only" : "Malformed token");
  }
  const isForHost = record.pds === host || host === ENTRYWAY;
  if (!isForHost) {
    return invalidToken("Token could not be verified");
  }
  return record.revoked || record.expiresAt <= sim.now()
    ? xrpcError(400, "ExpiredToken", "Token has expired")
    : checkAccount(sim, record, host, isReadOnly);
}

async function checkDpop(
  request: Request,
  sim: SimulatorContext,
  token: string,
  host: string,
  isReadOnly: boolean,
): Promise<Caller | Response> {
  if (host === ENTRYWAY) {
    return invalidToken("OAuth tokens are meant for PDS access only");
  }
  const proof = await checkProof(request, sim, token);
  if (!proof || isProblem(proof)) {
    return oauthRefusal(proof?.error ?? "invalid_dpop_proof", proof?.text ?? "DPoP proof required");
  }
  const found = findAccessToken(sim, token);
  if (!found || found.record.kind !== "oauth") {
    return oauthRefusal("invalid_token", "Malformed token");
  }
  const { record } = found;
  if (record.pds !== host) {
    return oauthRefusal("invalid_token", 'unexpected "aud" claim value');
  }
  if (record.dpopJkt !== proof.jkt) {
    return oauthRefusal("invalid_token", "Invalid DPoP key binding");
  }
  if (record.expiresAt <= sim.now()) {
    return oauthRefusal("invalid_token", '"exp" claim timestamp check failed');
  }
  return isAliveAtPds(sim, found)
    ? checkAccount(sim, record, host, isReadOnly)
    : oauthRefusal("invalid_token", "Invalid token");
}

/**
 * The account of an access token. With `isReadOnly`, a deactivated account is accepted, because it may still ask for
 * its identity.
 */
export async function authenticate(
  request: Request,
  sim: SimulatorContext,
  host: string,
  isReadOnly: boolean,
): Promise<Caller | Response> {
  const header = request.headers.get("authorization");
  if (header === null) {
    return xrpcError(401, "AuthMissing", "Authentication Required");
  }
  const { scheme, token } = /^(?<scheme>\w+) (?<token>\S+)$/.exec(header)?.groups ?? {};
  if (scheme === "Bearer" && token !== undefined) {
    return checkBearer(sim, token, host, isReadOnly);
  }
  return scheme === "DPoP" && token !== undefined
    ? checkDpop(request, sim, token, host, isReadOnly)
    : invalidToken("Unexpected authorization type");
}

export function missingPermission({ scopes }: Caller, permission: Permission): Response | null {
  return hasPermission(scopes, permission)
    ? null
    : xrpcError(403, "ScopeMissingError", `Missing required scope "${permission.name}"`);
}
