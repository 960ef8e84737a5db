import { DAY, HOUR } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { mintToken, secretOfToken } from "./jwt.ts";
import { takeSession } from "./rate-limits.ts";
import { xrpcError } from "./responses.ts";
import { accountStatus, findUser, findUserByName, handleOf, pdsOf, type TestUser } from "./test-users.ts";
import { type AppSession, appSessionKey, issueAccessToken } from "./tokens.ts";

/* Sessions made with an app password (section 2, rule 14 of platforms/bluesky.md). */

const REFRESH_LIFETIME_MS = 90 * DAY;
const GRACE_MS = 2 * HOUR;

type AppRefreshToken = {
  readonly session: string;
  readonly token: string;
  readonly expiresAt: number;
  /** The secret of the token that replaced this one. Until the grace period ends, the old token still leads to it. */
  readonly next: string | null;
};

const refreshKey = (secret: string): string => `app-refresh:${secret}`;

/** The handle that the server shows. `handle.invalid` replaces a handle that does not resolve any more. */
const shownHandle = (sim: SimulatorContext, user: TestUser): string =>
  sim.settings.extra["handle_invalid"] === true ? "handle.invalid" : handleOf(sim, user);

function accountJson(sim: SimulatorContext, user: TestUser): JsonObject {
  const status = accountStatus(sim);
  return {
    handle: shownHandle(sim, user),
    did: user.did,
    email: user.email,
    emailConfirmed: true,
    active: status === null,
    ...(status !== null && { status }),
  };
}

function issueRefreshToken(sim: SimulatorContext, user: TestUser, session: string): { token: string; secret: string } {
  const expiresAt = sim.now() + REFRESH_LIFETIME_MS;
  const { token, secret } = mintToken(sim, "refresh+jwt", {
    scope: "com.atproto.refresh",
    sub: user.did,
    exp: Math.floor(expiresAt / 1000),
  });
  const record: AppRefreshToken = { session, token, expiresAt, next: null };
  sim.store.put(refreshKey(secret), record);
  return { token, secret };
}

function sessionJson(sim: SimulatorContext, user: TestUser, session: string, refreshJwt: string): JsonObject {
  const access = issueAccessToken(sim, user, { kind: "app", session, scopes: null, dpopJkt: null });
  return { accessJwt: access.token, refreshJwt, ...accountJson(sim, user) };
}

const takedown = (): Response => xrpcError(401, "AccountTakedown", "Account has been taken down");

/** Handles `POST com.atproto.server.createSession`, at the PDS or at the entryway before it. */
export function createSession(sim: SimulatorContext, host: string, body: JsonObject): Response {
  const { identifier, password } = body;
  if (typeof identifier !== "string" || typeof password !== "string") {
    return xrpcError(400, "InvalidRequest", "Input/identifier must be a string");
  }
  const headers = takeSession(sim, identifier);
  if (headers instanceof Response) {
    return headers;
  }
  const user = findUser(sim, identifier);
  const pds = user && pdsOf(sim, user);
  const isHere = pds?.host === host || pds?.authorizationServer === host;
  if (!user || !isHere || password !== user.appPassword) {
    return xrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
  }
  const status = accountStatus(sim);
  if (status === "takendown" || status === "suspended") {
    return takedown();
  }
  const id = sim.newId(16);
  const session: AppSession = { login: user.name, revoked: false };
  sim.store.put(appSessionKey(id), session);
  return Response.json(sessionJson(sim, user, id, issueRefreshToken(sim, user, id).token), { headers });
}

const isBearer = (request: Request): string | null =>
  /^Bearer (?<token>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["token"] ?? null;

/** Reads the refresh token of a call, and refuses an access token. */
function readRefreshToken(
  request: Request,
  sim: SimulatorContext,
  canBeExpired: boolean,
): { secret: string; record: AppRefreshToken } | Response {
  if (!request.headers.has("authorization")) {
    return xrpcError(401, "AuthMissing", "Authentication Required");
  }
  const secret = secretOfToken(isBearer(request) ?? "");
  if (secret === null) {
    return xrpcError(400, "InvalidToken", "Malformed token");
  }
  const record = sim.store.get<AppRefreshToken>(refreshKey(secret));
  if (!record) {
    const isAccessToken = sim.store.get(`access:${secret}`) !== undefined;
    return xrpcError(400, "InvalidToken", isAccessToken ? "Bad token scope" : "Token could not be verified");
  }
  return record.expiresAt <= sim.now() && !canBeExpired
    ? xrpcError(400, "ExpiredToken", record.next === null ? "Token has expired" : "Token has been revoked")
    : { secret, record };
}

/**
 * Handles `POST com.atproto.server.refreshSession`. A repeated call within two hours returns the same new refresh
 * token.
 */
export function refreshSession(request: Request, sim: SimulatorContext): Response {
  const found = readRefreshToken(request, sim, false);
  if (found instanceof Response) {
    return found;
  }
  const { secret, record } = found;
  const session = sim.store.get<AppSession>(appSessionKey(record.session));
  const user = findUserByName(session?.login ?? "");
  if (!session || !user || session.revoked) {
    return xrpcError(400, "ExpiredToken", "Token has been revoked");
  }
  const status = accountStatus(sim);
  if (status === "takendown" || status === "suspended") {
    return takedown();
  }
  const successor = record.next === null ? undefined : sim.store.get<AppRefreshToken>(refreshKey(record.next));
  if (successor) {
    return Response.json(sessionJson(sim, user, record.session, successor.token));
  }
  const issued = issueRefreshToken(sim, user, record.session);
  const expiresAt = Math.min(record.expiresAt, sim.now() + GRACE_MS);
  sim.store.put(refreshKey(secret), { ...record, next: issued.secret, expiresAt });
  return Response.json(sessionJson(sim, user, record.session, issued.token));
}

/** Handles `POST com.atproto.server.deleteSession`, which accepts an expired token too. */
export function deleteSession(request: Request, sim: SimulatorContext): Response {
  const found = readRefreshToken(request, sim, true);
  if (found instanceof Response) {
    return found;
  }
  const session = sim.store.get<AppSession>(appSessionKey(found.record.session));
  if (session) {
    sim.store.put(appSessionKey(found.record.session), { ...session, revoked: true });
  }
  return new Response(null);
}

/** Handles `GET com.atproto.server.getSession`. */
export const getSession = (sim: SimulatorContext, user: TestUser): Response => Response.json(accountJson(sim, user));
