import { MINUTE } from "#core/clock.ts";
import { toHex } from "#core/encoding.ts";
import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import { consentPage } from "#sandbox/oauth-server.ts";
import { type AuthenticatedForm, withAuthenticatedForm } from "./client-authentication.ts";
import { type Client, isRegisteredRedirectUri, resolveClient } from "./client-metadata.ts";
import { isLenient } from "./leniency.ts";
import { PAGE_QUERY } from "./operations.ts";
import { htmlErrorPage, invalidRequest, oauthError } from "./responses.ts";
import { expandScopes } from "./scopes.ts";
import { accountStatus, DID, findUserByName, HANDLE, pdsOf, type TestUser } from "./test-users.ts";

/* Pushed authorization requests and the authorization page (section 1.3, rules 3, 4 and 8). */

const LIFETIME_MS = 5 * MINUTE;
/** Query parameters that only the sandbox has. Its page adds `scope`, to show the requested scopes. */
const SANDBOX_QUERY = ["login", "untick", "scope"];

type AuthorizationRequest = {
  readonly clientId: string;
  readonly authJkt: string | null;
  readonly dpopJkt: string | null;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly challenge: string;
  readonly expiresAt: number;
  readonly used: boolean;
};

export type AuthorizationCode = Omit<AuthorizationRequest, "state" | "used"> & {
  readonly login: string;
  readonly burnt: boolean;
  /** The session that was made from this code. */
  readonly session: string | null;
};

const requestKey = (uri: string): string => `request:${uri}`;
export const codeKey = (code: string): string => `code:${code}`;
export const randomHex = (bytes: number): string => toHex(crypto.getRandomValues(new Uint8Array(bytes)));

function findScopeProblem(client: Client, scopes: readonly string[]): Response | null {
  if (!scopes.includes("atproto")) {
    return oauthError(400, "invalid_scope", 'The "atproto" scope is required');
  }
  const undeclared = scopes.find((scope) => !client.scopes.includes(scope));
  return undeclared === undefined
    ? null
    : oauthError(400, "invalid_scope", `Scope "${undeclared}" is not declared in the client metadata`);
}

/** Reads an authorization request into its stored form, or refuses it. */
function readAuthorizationRequest(
  sim: SimulatorContext,
  issuer: string,
  { client, authJkt, dpopJkt, field }: AuthenticatedForm,
): AuthorizationRequest | Response {
  const redirectUri = field("redirect_uri");
  const scopes = field("scope").split(" ").filter(Boolean);
  const challenge = field("code_challenge");
  const hint = field("login_hint");
  if (!isRegisteredRedirectUri(client, redirectUri)) {
    return invalidRequest(`Invalid redirect_uri ${redirectUri}`);
  }
  if (field("response_type") !== "code") {
    return oauthError(400, "unsupported_response_type", "response_type must be code");
  }
  if (field("state") === "" && !isLenient(sim, "par_without_state")) {
    return invalidRequest("state is required");
  }
  if (challenge === "") {
    return invalidRequest("Use of PKCE is required");
  }
  if (field("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
    return invalidRequest("code_challenge_method must be S256");
  }
  if (hint !== "" && !HANDLE.test(hint) && !DID.test(hint)) {
    return invalidRequest(`Invalid login_hint "${hint}"`);
  }
  const expiresAt = sim.now() + LIFETIME_MS;
  return (
    findScopeProblem(client, scopes) ?? {
      clientId: client.id,
      authJkt,
      dpopJkt,
      issuer,
      redirectUri,
      scopes,
      state: field("state"),
      challenge,
      expiresAt,
      used: false,
    }
  );
}

/** Handles `POST /oauth/par`. */
export function pushAuthorizationRequest(request: Request, sim: SimulatorContext, host: string): Promise<Response> {
  const isProofRequired = !isLenient(sim, "par_without_dpop");
  const store = (form: AuthenticatedForm): Response => {
    const stored = readAuthorizationRequest(sim, host, form);
    if (stored instanceof Response) {
      return stored;
    }
    const uri = `urn:ietf:params:oauth:request_uri:req-${randomHex(16)}`;
    sim.store.put(requestKey(uri), stored);
    return Response.json({ request_uri: uri, expires_in: LIFETIME_MS / 1000 }, { status: 201 });
  };
  return withAuthenticatedForm(request, sim, store, isProofRequired);
}

/** Redirects (303) to the client, with `iss` and `state`. The setting `callback` makes them wrong (rule 8). */
function redirectToClient(
  sim: SimulatorContext,
  { redirectUri, state, issuer }: AuthorizationRequest,
  params: Record<string, string>,
): Response {
  const mode = sim.settings.extra["callback"];
  const target = new URL(redirectUri);
  if (mode !== "missing_iss") {
    target.searchParams.set("iss", mode === "wrong_iss" ? "https://elsewhere.example" : `https://${issuer}`);
  }
  target.searchParams.set("state", mode === "wrong_state" ? "another-state" : state);
  for (const [name, value] of Object.entries(params)) {
    target.searchParams.set(name, value);
  }
  return new Response(null, { status: 303, headers: { location: target.href } });
}

/** Reads an authorization request from the query, which the reference server also accepts from a public client. */
async function requestFromQuery(
  url: URL,
  sim: SimulatorContext,
  host: string,
): Promise<AuthorizationRequest | Response | undefined> {
  if (!isLenient(sim, "authorize_without_par") || url.searchParams.has("request_uri")) {
    return undefined;
  }
  const field = (name: string): string => url.searchParams.get(name) ?? "";
  const client = await resolveClient(sim, field("client_id"));
  return client instanceof Response
    ? client
    : readAuthorizationRequest(sim, host, { client, authJkt: null, dpopJkt: null, field });
}

/** The pushed request that the URL in the browser names. */
function pushedRequest(url: URL, sim: SimulatorContext, host: string): AuthorizationRequest | undefined {
  const query = url.searchParams;
  const allowed = new Set([...PAGE_QUERY, ...SANDBOX_QUERY]);
  const request = sim.store.get<AuthorizationRequest>(requestKey(query.get("request_uri") ?? ""));
  const isValid = [...query.keys()].every((name) => allowed.has(name));
  const isOwn = request?.clientId === query.get("client_id") && request?.issuer === host;
  return isValid && isOwn && !request.used ? request : undefined;
}

/** The scopes that remain after the user's choice and the setting `granted_scope`. */
function grantedScopes(sim: SimulatorContext, requested: readonly string[], query: URLSearchParams): readonly string[] {
  const declined = new Set((query.get("untick") ?? "").split(","));
  const setting = sim.settings.extra["granted_scope"];
  const allowed = typeof setting === "string" ? setting.split(" ") : null;
  const chosen = requested.filter((scope) => scope === "atproto" || !declined.has(scope));
  return expandScopes(chosen).filter((scope) => scope === "atproto" || (allowed?.includes(scope) ?? true));
}

function refusalFor(sim: SimulatorContext, user: TestUser | undefined, host: string): string | null {
  if (user && accountStatus(sim) !== null) {
    return "This account has been deactivated";
  }
  return user && pdsOf(sim, user).authorizationServer === host ? null : "The user rejected the request";
}

/**
 * Handles `GET /oauth/authorize`. With `login=<name>` in the query it consents at once; otherwise the page lists the
 * logins.
 */
export async function authorize(
  url: URL,
  sim: SimulatorContext,
  host: string,
  logins: readonly SimulatorLogin[],
): Promise<Response> {
  const query = url.searchParams;
  const request = (await requestFromQuery(url, sim, host)) ?? pushedRequest(url, sim, host);
  if (!request || request instanceof Response) {
    return htmlErrorPage("Invalid or unknown request_uri");
  }
  const login = query.get("login");
  if (login === null) {
    const pageUrl = new URL(url);
    pageUrl.searchParams.set("scope", request.scopes.join(" "));
    const here = logins.filter(({ name }) => refusalFor(sim, findUserByName(name), host) === null);
    return consentPage(`Sign in at ${host} (sandbox)`, pageUrl, here);
  }
  if (query.has("request_uri")) {
    sim.store.put(requestKey(query.get("request_uri") ?? ""), { ...request, used: true });
  }
  if (request.expiresAt <= sim.now()) {
    return redirectToClient(sim, request, { error: "access_denied", error_description: "This request has expired" });
  }
  const user = findUserByName(login);
  const refusal = refusalFor(sim, user, host);
  if (!user || refusal !== null) {
    return redirectToClient(sim, request, { error: "access_denied", error_description: refusal ?? "" });
  }
  const { state: _state, used: _used, ...rest } = request;
  const code: AuthorizationCode = {
    ...rest,
    scopes: grantedScopes(sim, request.scopes, query),
    login: user.name,
    expiresAt: sim.now() + LIFETIME_MS,
    burnt: false,
    session: null,
  };
  const secret = `cod-${randomHex(32)}`;
  sim.store.put(codeKey(secret), code);
  return redirectToClient(sim, request, { code: secret });
}
