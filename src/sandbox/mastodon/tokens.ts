import { DAY } from "#core/clock.ts";
import { toBase64Url } from "#core/encoding.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { basicAuth, bearerToken } from "#sandbox/oauth-server.ts";
import { type App, findApp, markAppUsed, splitScopes } from "./apps.ts";
import { type Call, instanceStore } from "./call.ts";
import { invalidOauthRequest, missingOauthParam, oauthError, type TokenProblem } from "./error-responses.ts";
import { HOSTS } from "./instances.ts";
import type { Params } from "./params.ts";

/* Codes and tokens (docs/platforms/facts/mastodon.md 1.4, 1.6, 6.5 and 6.6). */

const CODE_LIFETIME_MS = 600_000;

interface Code {
  readonly clientId: string;
  readonly login: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
  readonly used: boolean;
}

export interface Token {
  readonly secret: string;
  readonly clientId: string;
  /** The login of the token's user; null for the token of an app. */
  readonly login: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export function issueCode({ store, sim }: Call, code: Omit<Code, "used" | "expiresAt">): string {
  const secret = sim.newSecret("");
  store.put(`code/${secret}`, { ...code, used: false, expiresAt: sim.now() + CODE_LIFETIME_MS });
  return secret;
}

/** The token of a request, even if it is revoked. A nightly job deletes revoked tokens (M access_tokens_vacuum.rb). */
function findToken({ store, sim }: Call, secret: string | null): Token | undefined {
  const token = secret === null ? undefined : store.get<Token>(`token/${secret}`);
  return token && token.revokedAt !== null && token.revokedAt + DAY <= sim.now() ? undefined : token;
}

export const requestToken = (call: Call): Token | undefined => findToken(call, bearerToken(call.request));

export function tokenProblem({ sim }: Call, token: Token | undefined): TokenProblem | null {
  if (!token) {
    return "invalid";
  }
  if (token.revokedAt !== null) {
    return "revoked";
  }
  return token.expiresAt !== null && token.expiresAt <= sim.now() ? "expired" : null;
}

const reuseKey = (clientId: string, login: string | null, scopes: readonly string[]): string =>
  `token-of/${clientId}/${login ?? ""}/${scopes.toSorted().join("+")}`;

/** The valid token with the same app, person and set of scopes (`reuse_access_token`, M doorkeeper.rb). */
export function findReusableToken(
  call: Call,
  clientId: string,
  login: string | null,
  scopes: readonly string[],
): Token | undefined {
  const token = findToken(call, call.store.get<string>(reuseKey(clientId, login, scopes)) ?? null);
  return tokenProblem(call, token) === null ? token : undefined;
}

function issueToken(call: Call, app: App, login: string | null, scopes: readonly string[]): Response {
  const { store, sim } = call;
  const reused = findReusableToken(call, app.clientId, login, scopes);
  const lifetimeSeconds = sim.settings.token_lifetime_s;
  const token: Token = reused ?? {
    secret: sim.newSecret(""),
    clientId: app.clientId,
    login,
    scopes,
    createdAt: sim.now(),
    expiresAt: lifetimeSeconds === null ? null : sim.now() + lifetimeSeconds * 1000,
    revokedAt: null,
  };
  store.put(`token/${token.secret}`, token);
  store.put(reuseKey(app.clientId, login, scopes), token.secret);
  markAppUsed(call, app);
  return Response.json({
    access_token: token.secret,
    token_type: "Bearer",
    scope: token.scopes.join(" "),
    created_at: Math.floor(token.createdAt / 1000),
  });
}

/** The app that authenticates with `client_secret_basic` or `client_secret_post`. */
function authenticatedApp(call: Call, params: Params): App | undefined {
  const basic = basicAuth(call.request);
  const app = findApp(call, basic?.id ?? params.text("client_id") ?? "");
  return app && app.clientSecret === (basic?.secret ?? params.text("client_secret")) ? app : undefined;
}

/** Handles `POST /oauth/token`. */
export async function tokenEndpoint(call: Call, params: Params): Promise<Response> {
  switch (params.text("grant_type")) {
    case undefined:
      return missingOauthParam(call, "grant_type");
    case "authorization_code":
      return exchangeCode(call, params);
    case "client_credentials": {
      const app = authenticatedApp(call, params);
      if (!app) {
        return oauthError(call, "invalid_client");
      }
      const scopes = splitScopes(params.text("scope") ?? "read");
      return scopes.length > 0 && scopes.every((scope) => app.scopes.includes(scope))
        ? issueToken(call, app, null, scopes)
        : oauthError(call, "invalid_scope");
    }
    default:
      return oauthError(call, "unsupported_grant_type");
  }
}

async function exchangeCode(call: Call, params: Params): Promise<Response> {
  const { store, sim, instance } = call;
  const secret = params.text("code") ?? "";
  const redirectUri = params.text("redirect_uri") ?? "";
  const verifier = params.text("code_verifier") ?? "";
  // The digest is computed before the code is read, because an await between reading and marking the code would let two
  // callers redeem it.
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const code = store.get<Code>(`code/${secret}`);
  if (secret === "") {
    return missingOauthParam(call, "code");
  }
  if (redirectUri === "") {
    return missingOauthParam(call, "redirect_uri");
  }
  if (code?.challenge && verifier === "") {
    return missingOauthParam(call, "code_verifier");
  }
  const app = authenticatedApp(call, params);
  if (!app) {
    return oauthError(call, "invalid_client");
  }
  if (!code || code.used || code.expiresAt <= sim.now() || code.clientId !== app.clientId) {
    return oauthError(call, "invalid_grant");
  }
  // A verifier without a challenge is also refused (DK). Version 4.2 ignores PKCE.
  const expectedVerifier =
    code.challenge === null ? verifier === "" : toBase64Url(new Uint8Array(digest)) === code.challenge;
  if (code.redirectUri !== redirectUri || (!expectedVerifier && !instance.is42)) {
    return oauthError(call, "invalid_grant");
  }
  store.put(`code/${secret}`, { ...code, used: true });
  return issueToken(call, app, code.login, code.scopes);
}

/** Handles `POST /oauth/revoke`, which answers 200 for an unknown token too. */
export function revokeEndpoint(call: Call, params: Params): Response {
  const app = authenticatedApp(call, params);
  const secret = params.text("token") ?? "";
  if (secret === "") {
    return invalidOauthRequest(call, "Missing required parameter: token.");
  }
  const token = findToken(call, secret);
  if (!app || (token && token.clientId !== app.clientId)) {
    return oauthError(call, "unauthorized_client");
  }
  if (token && token.revokedAt === null) {
    call.store.put(`token/${secret}`, { ...token, revokedAt: call.sim.now() });
  }
  return Response.json({});
}

/**
 * Revokes the tokens of a login on every host, as when the person removes the app or resets the password. False if the
 * login has no token.
 */
export function revokeTokensOf(sim: SimulatorContext, isRevoked: (host: string, login: string) => boolean): boolean {
  let hasTokens = false;
  for (const host of HOSTS) {
    const store = instanceStore(sim, host);
    for (const token of store.list<Token>("token/")) {
      if (token.login !== null && isRevoked(host, token.login)) {
        hasTokens = true;
        store.put(`token/${token.secret}`, { ...token, revokedAt: token.revokedAt ?? sim.now() });
      }
    }
  }
  return hasTokens;
}
