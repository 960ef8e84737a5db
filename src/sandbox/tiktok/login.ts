import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  readForm,
  redeemCode,
  redirect,
  revokeToken,
  type Token,
} from "#sandbox/oauth-server.ts";
import { newLogId } from "./responses.ts";
import { CREATORS } from "./creators.ts";
import { approvedScopes } from "./operator-app.ts";
import { revokeAccess } from "./publishes.ts";

/* Login Kit for Web (platforms/tiktok.md part 1). */

const CLIENT_TOKEN_LIFETIME_SECONDS = 7200;
const CODE_LIFETIME_SECONDS = 600;
const TOKEN_LIFETIMES_SECONDS = { access: 7200, refresh: 15_552_000 };
/** The documented lifetimes of tokens before November 2026. */
const FORMER_TOKEN_LIFETIMES_SECONDS = { access: 86_400, refresh: 31_536_000 };

/** The authorization page. `untick` in the query leaves scopes out, as a user may. */
export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const target = URL.parse(redirectUri);
  if (query.get("client_key") !== sim.app.clientId || query.get("response_type") !== "code") {
    return new Response("client_key or response_type is wrong", { status: 400 });
  }
  if (!target || target.search !== "" || target.hash !== "") {
    return new Response("redirect_uri must be absolute, without a query and without a fragment", { status: 400 });
  }
  const state = query.get("state") ?? "";
  const requested = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "");
  const approved = approvedScopes(sim);
  if (requested.length === 0 || !requested.every((scope) => approved.includes(scope))) {
    // One unapproved scope refuses the whole login, and the answer does not name it.
    return sim.settings.extra["scope_refusal"] === "page"
      ? new Response("Something went wrong. error=invalid_scope&error_type=scope", { status: 400 })
      : redirect(redirectUri, { error: "invalid_scope", error_type: "scope", state });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("TikTok (sandbox)", url, logins);
  }
  if (!Object.hasOwn(CREATORS, login)) {
    return redirect(redirectUri, { error: "access_denied", error_description: "The user denied the request", state });
  }
  const deselected = new Set((query.get("untick") ?? "").split(","));
  const scopes = requested.filter((scope) => !deselected.has(scope));
  const code = issueCode(sim, "co*", { login, scopes, redirectUri, challenge: null }, CODE_LIFETIME_SECONDS);
  // TikTok's codes contain characters that are percent-encoded in a URL.
  return redirect(redirectUri, { code: `${code}!`, scopes: scopes.join(","), state });
}

/** An OAuth error, which may come with status 200. */
function oauthError(sim: SimulatorContext, status: number, error: string, description: string): Response {
  const asSuccess = sim.settings.extra["errors_as_200"] === true;
  return Response.json(
    { error, error_description: description, log_id: newLogId(sim) },
    { status: asSuccess ? 200 : status },
  );
}

/** The form of an authenticated app, or the error response. */
async function readAuthenticatedForm(request: Request, sim: SimulatorContext): Promise<URLSearchParams | Response> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return oauthError(
      sim,
      400,
      "invalid_request",
      "Only `application/x-www-form-urlencoded` is supported as Content-Type.",
    );
  }
  const form = await readForm(request);
  return form.get("client_key") === sim.app.clientId && form.get("client_secret") === sim.app.clientSecret
    ? form
    : oauthError(sim, 401, "invalid_client", "Client key or secret is incorrect.");
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issueTokens(sim: SimulatorContext, { login, scopes, grant }: Grant): Response {
  const lifetimes =
    sim.settings.extra["old_lifetimes"] === true ? FORMER_TOKEN_LIFETIMES_SECONDS : TOKEN_LIFETIMES_SECONDS;
  const claims = { login, scopes, grant, extra: {} };
  return Response.json({
    open_id: CREATORS[login]?.openId,
    scope: scopes.join(","),
    access_token: issueToken(sim, "act.", { ...claims, kind: "access" }, lifetimes.access),
    expires_in: sim.settings.token_lifetime_s ?? lifetimes.access,
    refresh_token: issueToken(sim, "rft.", { ...claims, kind: "refresh" }, lifetimes.refresh),
    refresh_expires_in: lifetimes.refresh,
    token_type: "Bearer",
  });
}

export async function tokenEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const secret = (form.get("code") ?? "").replace(/!$/, "");
      const code = await redeemCode(sim, secret, form.get("redirect_uri") ?? "", null);
      return code
        ? issueTokens(sim, { login: code.login, scopes: code.scopes, grant: sim.newId(12) })
        : oauthError(sim, 400, "invalid_grant", "Authorization code is expired.");
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const token = findValidToken(sim, secret, "refresh");
      if (!token) {
        return oauthError(sim, 400, "invalid_grant", "Refresh token is invalid or expired.");
      }
      revokeToken(sim, secret);
      return issueTokens(sim, token);
    }
    // The result is a token of the app itself: https://developers.tiktok.com/doc/client-access-token-management
    case "client_credentials":
      return Response.json({
        access_token: sim.newSecret("clt."),
        expires_in: CLIENT_TOKEN_LIFETIME_SECONDS,
        token_type: "Bearer",
      });
    default:
      return oauthError(sim, 400, "unsupported_grant_type", "Unsupported grant_type.");
  }
}

/** Removes the app from the user's connected apps: every token of the login is revoked. */
export async function revokeEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const token = findValidToken(sim, form.get("token") ?? "", "access");
  if (!token) {
    return oauthError(sim, 400, "invalid_request", "The token is not valid.");
  }
  revokeAccess(sim, token.login);
  return Response.json({});
}
