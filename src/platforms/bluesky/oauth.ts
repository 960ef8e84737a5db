import { z } from "@hono/zod-openapi";
import { DAY } from "#core/clock.ts";
import type {
  CodeExchange,
  LoginResult,
  StartedLogin,
  StartRequest,
  TokenSet,
  ClientIdentity,
  AppCredentials,
  Fault,
  FaultCode,
  PlatformClient,
  Result,
} from "#platforms/contract.ts";
import { failed, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import {
  authorizationCode,
  catchConnectionErrors,
  expiresAtFrom,
  splitScopes,
  appMisconfigured,
} from "#platforms/oauth-token.ts";
import { postForm, type RequestFields, withQuery } from "#platforms/request-encoding.ts";
import { isOk, parseBody, type PlatformResponse } from "#platforms/response.ts";
import {
  didDocumentUrl,
  type Identity,
  parseLoginTarget,
  resolveDid,
  resolveHandleIdentity,
  type AuthorizationServer,
  findAuthorizationServer,
} from "./account.ts";
import { PushedRequest, TokenAnswer } from "./answers.ts";
import { type ProofContext, sendWithProof, type OAuthSession, uniqueHosts, nowSeconds } from "./api.ts";
import { authorizationFault } from "./errors.ts";
import { parseHttpsUrl } from "./hosts.ts";
import {
  createSigningKey,
  SigningKey,
  requestedScope,
  type ClientKey,
  keyId,
  readPrivateKey,
  signJwt,
} from "./login.ts";

/** What the service stores while the user is at the authorization server. */
const Started = z.object({
  /** The account's DID. Null if the user named only a server; the login then reveals the account. */
  did: z.string().nullable(),
  pds: z.string().nullable(),
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().nullable(),
  clientId: z.string(),
  redirectUri: z.string(),
  key: SigningKey,
});
type Started = z.infer<typeof Started>;

const DEFAULT_ACCESS_SECONDS = 300;
/** How long (ms) a login of a public client lives at most (atproto.com/specs/oauth). */
const PUBLIC_SESSION_MS = 14 * DAY;
const CONFIDENTIAL_REFRESH_MS = 90 * DAY;

export async function startLogin(
  client: PlatformClient,
  app: AppCredentials,
  request: StartRequest,
): Promise<Result<StartedLogin, FaultCode>> {
  const target = parseLoginTarget(request.input["handle"] ?? "");
  if (!target) {
    return failed(loginRefused("Enter a handle such as ada.bsky.social, a DID, or the https address of a server."));
  }
  const ownClient = oauthClient(app, request);
  if (!ownClient.ok) {
    return ownClient;
  }
  let identity: Identity | null = null;
  if (target.kind !== "server") {
    const resolved =
      target.kind === "did" ? await resolveDid(client, target.did) : await resolveHandleIdentity(client, target.handle);
    if (!resolved.ok) {
      return resolved;
    }
    identity = resolved.value;
  }
  const server = await findAuthorizationServer(
    client,
    target.kind === "server" ? target.origin : (identity?.pds ?? ""),
  );
  if (!server.ok) {
    return server;
  }
  const key = await createSigningKey();
  const { issuer, pushEndpoint, authorizationEndpoint, tokenEndpoint, revocationEndpoint } = server.value;
  const { clientId, redirectUri } = ownClient.value;
  const login = { clientId, issuer, context: { key, nonces: new Map() } };
  const pushed = await requestAuthorization(client, app, login, pushEndpoint, {
    response_type: "code",
    redirect_uri: redirectUri,
    scope: requestedScope(app),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
    login_hint: target.kind === "handle" ? target.handle : target.kind === "did" ? target.did : undefined,
  });
  if (!pushed.ok) {
    return pushed;
  }
  const requestUri = isOk(pushed.value) ? parseBody(PushedRequest, pushed.value)?.request_uri : undefined;
  if (requestUri === undefined) {
    return failed(authorizationFault(pushed.value));
  }
  const state: Started = {
    did: identity?.did ?? null,
    pds: identity?.pds ?? null,
    issuer,
    tokenEndpoint: tokenEndpoint.href,
    revocationEndpoint: revocationEndpoint?.href ?? null,
    clientId,
    redirectUri,
    key,
  };
  return succeeded({ url: withQuery(authorizationEndpoint, { client_id: clientId, request_uri: requestUri }), state });
}

export async function finishLogin(
  client: PlatformClient,
  app: AppCredentials,
  exchange: CodeExchange,
): Promise<LoginResult> {
  const code = authorizationCode(exchange.params);
  if (!code.ok) {
    return code;
  }
  const started = Started.safeParse(exchange.started).data;
  if (!started || exchange.params["iss"] !== started.issuer) {
    return failed(loginRefused("The login came back from another server than it was sent to."));
  }
  const { clientId, issuer, key } = started;
  const login = { clientId, issuer, context: { key, nonces: new Map() } };
  const answer = await requestTokens(client, app, login, new URL(started.tokenEndpoint), {
    grant_type: "authorization_code",
    code: code.value,
    redirect_uri: started.redirectUri,
    code_verifier: exchange.codeVerifier,
  });
  if (!answer.ok) {
    return answer;
  }
  const identity = await checkSubject(client, started, answer.value);
  if (!identity.ok) {
    return identity;
  }
  const { did, pds, handle } = identity.value;
  const session: OAuthSession = {
    method: "oauth",
    did,
    pds,
    issuer,
    clientId,
    key,
    startedAt: exchange.now,
    revocationEndpoint: started.revocationEndpoint,
  };
  const tokens = toTokenSet(app, answer.value, session, started.tokenEndpoint, null, exchange.now);
  return succeeded({ externalId: did, displayName: handle ?? did, tokens });
}

/**
 * Checks whose account the token is for. It must be the expected account or, if none is expected, an account of the
 * server that issued the token.
 */
async function checkSubject(
  client: PlatformClient,
  started: Started,
  answer: TokenAnswer,
): Promise<Result<{ readonly did: string; readonly pds: string; readonly handle: string | null }, FaultCode>> {
  if (started.did !== null && answer.sub !== started.did) {
    return failed(loginRefused("Another account logged in than the one that was entered."));
  }
  const identity = await resolveDid(client, answer.sub);
  if (!identity.ok) {
    return identity;
  }
  const server = await findAuthorizationServer(client, identity.value.pds);
  if (!server.ok) {
    return server;
  }
  return server.value.issuer === started.issuer
    ? succeeded({ did: answer.sub, pds: identity.value.pds, handle: identity.value.claimedHandle })
    : failed(loginRefused("The server that answered is not responsible for the account."));
}

/**
 * Refreshes the tokens. A refresh token works once and its reuse ends the session, so the caller must allow one call at
 * a time.
 */
export async function refreshOAuth(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  session: OAuthSession,
  now: number,
): Promise<Result<TokenSet>> {
  const server = await findCurrentServer(client, session);
  if (!server.ok) {
    return server;
  }
  const { clientId, issuer, key } = session;
  const login = { clientId, issuer, context: { key, nonces: new Map() } };
  const answer = await requestTokens(client, app, login, server.value.tokenEndpoint, {
    grant_type: "refresh_token",
    refresh_token: tokens.refreshToken ?? "",
  });
  if (!answer.ok) {
    return answer;
  }
  if (answer.value.sub !== session.did) {
    return failed(reconnect("The authorization server returned another account.", { httpStatus: 200 }));
  }
  const next = { ...session, revocationEndpoint: server.value.revocationEndpoint?.href ?? null };
  return succeeded(toTokenSet(app, answer.value, next, server.value.tokenEndpoint.href, tokens.refreshToken, now));
}

/**
 * Finds the account's present server again, because the service must not send a token to a server that the account has
 * left.
 */
async function findCurrentServer(client: PlatformClient, session: OAuthSession): Promise<Result<AuthorizationServer>> {
  const identity = await resolveDid(client, session.did);
  if (!identity.ok) {
    return failed(keepLogin(identity.fault));
  }
  if (identity.value.pds !== session.pds) {
    return failed(accountMoved());
  }
  const server = await findAuthorizationServer(client, session.pds);
  if (!server.ok) {
    return failed(keepLogin(server.fault));
  }
  return server.value.issuer === session.issuer ? server : failed(accountMoved());
}

/**
 * Turns the fault of a failed lookup into one that keeps the login, because the lookup says nothing about the grant.
 */
function keepLogin(fault: Fault): Fault {
  return fault.kind === "rejected" ? temporary(fault.message, fault, { code: fault.code }) : fault;
}

function accountMoved(): Fault {
  return reconnect("The account has moved to another server. Connect it again.", { httpStatus: null });
}

/** Revokes a login by its refresh token, which stands for the whole session. Failures are ignored. */
export async function revokeOAuth(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  session: OAuthSession,
): Promise<void> {
  const { clientId, issuer, key, revocationEndpoint } = session;
  if (revocationEndpoint !== null) {
    const login = { clientId, issuer, context: { key, nonces: new Map() } };
    await catchConnectionErrors(async () =>
      requestAuthorization(client, app, login, new URL(revocationEndpoint), {
        token: tokens.refreshToken ?? tokens.accessToken,
      }),
    );
  }
}

interface ClientLogin {
  readonly clientId: string;
  readonly issuer: string;
  readonly context: ProofContext;
}

/** Sends a form to the authorization server, with a proof and client authentication. */
async function requestAuthorization(
  client: PlatformClient,
  app: AppCredentials,
  login: ClientLogin,
  url: URL,
  fields: RequestFields,
): Promise<Result<PlatformResponse>> {
  const { clientId, issuer, context } = login;
  const key = clientKey(app, clientId);
  if (!key.ok) {
    return key;
  }
  const createRequest = async () =>
    postForm({ ...fields, ...(await clientAuthentication(key.value, clientId, issuer)) });
  return succeeded(await sendWithProof(client, url, createRequest, context, null));
}

async function requestTokens(
  client: PlatformClient,
  app: AppCredentials,
  login: ClientLogin,
  url: URL,
  fields: RequestFields,
): Promise<Result<TokenAnswer>> {
  const response = await requestAuthorization(client, app, login, url, fields);
  if (!response.ok) {
    return response;
  }
  const answer = isOk(response.value) ? parseBody(TokenAnswer, response.value) : undefined;
  if (!answer) {
    return failed(authorizationFault(response.value));
  }
  return answer.token_type.toLowerCase() === "dpop" && splitScopes(answer.scope).includes("atproto")
    ? succeeded(answer)
    : failed(
        rejected(
          "The authorization server returned tokens of another kind than this service can use.",
          { httpStatus: response.value.status },
          { code: "server_unsupported", category: "auth" },
        ),
      );
}

function toTokenSet(
  app: AppCredentials,
  answer: TokenAnswer,
  session: OAuthSession,
  tokenEndpoint: string,
  oldRefreshToken: string | null,
  now: number,
): TokenSet {
  const key = clientKey(app, session.clientId);
  const isConfidential = key.ok && key.value !== null;
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? oldRefreshToken,
    expiresAt: expiresAtFrom(now, answer.expires_in ?? DEFAULT_ACCESS_SECONDS),
    refreshExpiresAt: isConfidential ? now + CONFIDENTIAL_REFRESH_MS : session.startedAt + PUBLIC_SESSION_MS,
    scopes: splitScopes(answer.scope),
    extra: session,
    hosts: uniqueHosts([
      session.pds,
      session.issuer,
      tokenEndpoint,
      session.revocationEndpoint,
      session.did.startsWith("did:web:") ? didDocumentUrl(session.did) : null,
    ]),
  };
}

function loginRefused(message: string): Fault<FaultCode> {
  return rejected(message, { httpStatus: null }, { code: "login_refused", category: "auth" });
}

/** This service as an OAuth client of an authorization server. */
interface OAuthClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 60;
const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const LOOPBACK_CLIENT = "http://localhost";

/**
 * Describes this service as an OAuth client. The client id is the URL of the metadata document. On a developer's
 * machine the id contains the metadata itself, and the redirect URI must have an IP address.
 */
function oauthClient(app: AppCredentials, identity: ClientIdentity): Result<OAuthClient> {
  const redirect = new URL(identity.redirectUri);
  if (LOOPBACK_HOSTS.has(redirect.hostname)) {
    redirect.hostname = redirect.hostname === "localhost" ? "127.0.0.1" : redirect.hostname;
    const query = `redirect_uri=${encodeURIComponent(redirect.href)}&scope=${encodeURIComponent(requestedScope(app))}`;
    return succeeded({ clientId: `${LOOPBACK_CLIENT}?${query}`, redirectUri: redirect.href });
  }
  return parseHttpsUrl(identity.clientMetadataUrl) && readPrivateKey(app).ok
    ? succeeded({ clientId: identity.clientMetadataUrl, redirectUri: identity.redirectUri })
    : failed(appMisconfigured(null, null));
}

function clientKey(app: AppCredentials, clientId: string): Result<ClientKey | null> {
  return clientId.startsWith(LOOPBACK_CLIENT) ? succeeded(null) : readPrivateKey(app);
}

/**
 * The form fields that authenticate this service at the authorization server, new for each request because an assertion
 * works once.
 */
async function clientAuthentication(key: ClientKey | null, clientId: string, issuer: string): Promise<RequestFields> {
  if (key === null) {
    return { client_id: clientId };
  }
  const issuedAt = nowSeconds();
  const assertion = await signJwt(
    key,
    { typ: "JWT", kid: keyId(key) },
    {
      iss: clientId,
      sub: clientId,
      aud: issuer,
      jti: crypto.randomUUID(),
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
    },
  );
  return { client_id: clientId, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}
