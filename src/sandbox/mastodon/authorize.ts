import type { SimulatorLogin } from "#sandbox/contract.ts";
import { consentPage, redirect } from "#sandbox/oauth-server.ts";
import { findApp, splitScopes } from "./apps.ts";
import type { Call } from "./call.ts";
import { errorPage } from "./error-responses.ts";
import { PAGE_QUERY } from "./operations.ts";
import { findUserByLogin } from "./test-users.ts";
import { findReusableToken, issueCode } from "./tokens.ts";

/* The authorization page (docs/platforms/facts/mastodon.md 1.3 and 6.4). */

const DENIED = "The resource owner or authorization server denied the request.";
const OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob";

/** The query fields of the page. `login` exists only in the sandbox. */
const KNOWN_PARAMS = new Set([...PAGE_QUERY, "login"]);

/** The session cookie's name. Every host has its own session, although the sandbox serves all hosts on one origin. */
const cookieName = (host: string): string => `sandbox_session_${host.replaceAll(/\W/g, "_")}`;

function signedInLogin({ request, instance }: Call): string | null {
  const name = cookieName(instance.host);
  const cookie = (request.headers.get("cookie") ?? "").split("; ").find((pair) => pair.startsWith(`${name}=`));
  return cookie?.slice(name.length + 1) ?? null;
}

/**
 * Shows the authorization page. Only a refusal by the person reaches the callback; every other error is a page of the
 * instance (DK `handle_auth_errors: :render`).
 */
export function authorize(call: Call, logins: readonly SimulatorLogin[]): Response {
  const { url, instance, settings } = call;
  const query = url.searchParams;
  const param = (name: string): string => query.get(name) ?? "";
  const names = [...query.keys()];
  const unknown = names.find((name) => !KNOWN_PARAMS.has(name));
  if (unknown !== undefined && !settings.isLenient("unknown_params")) {
    return errorPage(400, `Unknown parameter: ${unknown}`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined && !settings.isLenient("unknown_params")) {
    return errorPage(400, `Repeated parameter: ${repeated}`);
  }
  const app = findApp(call, param("client_id"));
  if (!app) {
    return errorPage(401, "Client authentication failed due to unknown client");
  }
  if (!app.redirectUris.includes(param("redirect_uri"))) {
    return errorPage(400, "The requested redirect uri is malformed or doesn't match client redirect URI.");
  }
  if (param("response_type") !== "code") {
    return errorPage(400, "The authorization server does not support this response type.");
  }
  const scopes = splitScopes(query.get("scope") ?? "read");
  if (scopes.length === 0 || !scopes.every((scope) => app.scopes.includes(scope))) {
    return errorPage(400, "The requested scope is invalid, unknown, or malformed.");
  }
  const challenge = instance.is42 ? null : query.get("code_challenge");
  const hasMethod = query.has("code_challenge_method");
  const isValidChallenge =
    challenge === null ? !hasMethod : challenge !== "" && param("code_challenge_method") === "S256";
  if (!instance.is42 && !isValidChallenge) {
    return errorPage(400, "The code_challenge_method must be S256.");
  }
  const consent = (login: string): Response =>
    redirectWithCode(call, { clientId: app.clientId, login, scopes, redirectUri: param("redirect_uri"), challenge });
  const signedIn = signedInLogin(call);
  // Without force_login the browser's session decides who signs in, even if the person meant another account (M
  // authorizations_spec.rb).
  if (signedIn !== null && param("force_login") !== "true" && findReusableToken(call, app.clientId, signedIn, scopes)) {
    return consent(signedIn);
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage(`Authorize ${app.name} at ${instance.host} (sandbox)`, url, logins);
  }
  if (findUserByLogin(instance.host, login)) {
    return consent(login);
  }
  return redirect(param("redirect_uri"), { error: "access_denied", error_description: DENIED, ...echoed(call) });
}

/** The parameters that every redirect back to the app carries besides its result. */
function echoed({ url, settings: { issuer } }: Call): Readonly<Record<string, string>> {
  const state = url.searchParams.get("state");
  return { ...(state !== null && { state }), ...(issuer !== undefined && { iss: issuer }) };
}

function redirectWithCode(call: Call, code: Parameters<typeof issueCode>[1]): Response {
  const secret = issueCode(call, code);
  const response =
    code.redirectUri === OUT_OF_BAND
      ? new Response(`<!doctype html><code>${secret}</code>`, { headers: { "content-type": "text/html" } })
      : redirect(code.redirectUri, { code: secret, ...echoed(call) });
  response.headers.append("set-cookie", `${cookieName(call.instance.host)}=${code.login}; Path=/; HttpOnly`);
  return response;
}
