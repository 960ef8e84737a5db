import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  readForm,
  redeemCode,
  redirect,
  revokeTokensOfLogin,
  type Token,
  TOKENS,
} from "#sandbox/oauth-server.ts";
import { resourceNotFound } from "./error-responses.ts";
import { TEST_USERS } from "./test-users.ts";

/* OAuth, the three-legged flow: platforms/linkedin.md part 1. */

const CODE_LIFETIME_SECONDS = 1800;
const ACCESS_TOKEN_LIFETIME_SECONDS = 5_184_000;
const REFRESH_TOKEN_LIFETIME_SECONDS = 31_536_000;

const SCOPES = new Set(
  `openid profile email w_member_social r_member_social w_organization_social r_organization_social
   w_organization_social_feed r_organization_social_feed rw_organization_admin r_organization_admin r_basicprofile`.split(
    /\s+/,
  ),
);

/** The browser's page; a user cannot decline single scopes. */
export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const target = URL.parse(redirectUri);
  if (query.get("client_id") !== sim.app.clientId || query.get("response_type") !== "code") {
    return new Response("The client_id or response_type does not match", { status: 400 });
  }
  if (!target || (target.protocol !== "https:" && target.hostname !== "localhost")) {
    return new Response("The redirect_uri must be https, or http at localhost", { status: 400 });
  }
  const state = query.get("state") ?? "";
  const scopes = (query.get("scope") ?? "").split(" ").filter(Boolean);
  const unknownScope = scopes.find((scope) => !SCOPES.has(scope));
  if (scopes.length === 0 || unknownScope !== undefined) {
    const error_description = `Scope "${unknownScope ?? ""}" is not authorized for your application`;
    return redirect(redirectUri, { error: "unauthorized_scope_error", error_description, state });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("LinkedIn (sandbox)", url, logins);
  }
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(redirectUri, {
      error: "user_cancelled_authorize",
      error_description: "The user cancelled the authorization",
      state,
    });
  }
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQ", consent, CODE_LIFETIME_SECONDS), state });
}

const oauthError = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status });

/** The form if its client credentials are valid, otherwise the error response. */
async function readAuthenticatedForm(request: Request, sim: SimulatorContext): Promise<URLSearchParams | Response> {
  const form = await readForm(request);
  return form.get("client_id") === sim.app.clientId && form.get("client_secret") === sim.app.clientSecret
    ? form
    : oauthError(401, "invalid_client", "Client authentication failed");
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issueAccessToken(sim: SimulatorContext, { login, scopes, grant }: Grant, refreshFields: JsonObject): Response {
  return Response.json({
    access_token: issueToken(
      sim,
      "AQX",
      { login, scopes, grant, kind: "access", extra: {} },
      ACCESS_TOKEN_LIFETIME_SECONDS,
    ),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_TOKEN_LIFETIME_SECONDS,
    // The request separates scopes by spaces, the response by commas.
    scope: scopes.join(","),
    token_type: "Bearer",
    ...refreshFields,
  });
}

/** Only approved partners receive a refresh token. */
function issueRefreshToken(sim: SimulatorContext, { login, scopes, grant }: Grant): JsonObject {
  return sim.settings.extra["partner"] === true
    ? {
        refresh_token: issueToken(
          sim,
          "AQW",
          { login, scopes, grant, kind: "refresh", extra: {} },
          REFRESH_TOKEN_LIFETIME_SECONDS,
        ),
        refresh_token_expires_in: REFRESH_TOKEN_LIFETIME_SECONDS,
      }
    : {};
}

export async function tokenEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
      if (!code) {
        return oauthError(
          400,
          "invalid_request",
          "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists",
        );
      }
      const grant = { login: code.login, scopes: code.scopes, grant: sim.newId(12) };
      return issueAccessToken(sim, grant, issueRefreshToken(sim, grant));
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const token = findValidToken(sim, secret, "refresh");
      if (!token || token.expiresAt === null) {
        return oauthError(400, "invalid_grant", "The provided refresh token is invalid, expired or revoked");
      }
      // Returns the same refresh token, and its lifetime is not extended.
      const remainingSeconds = Math.floor((token.expiresAt - sim.now()) / 1000);
      return issueAccessToken(sim, token, { refresh_token: secret, refresh_token_expires_in: remainingSeconds });
    }
    default:
      return oauthError(400, "invalid_request", "Unsupported grant_type");
  }
}

/** LinkedIn does not document it: with the setting `no_revoke` the address does not exist. */
export async function revokeEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  if (sim.settings.extra["no_revoke"] === true) {
    return resourceNotFound("No such page");
  }
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const secret = form.get("token") ?? "";
  const token = findValidToken(sim, secret, "access") ?? findValidToken(sim, secret, "refresh");
  if (token) {
    revokeTokensOfLogin(sim, token.login);
  }
  return new Response(null, { status: 200 });
}

export async function introspectEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const token = TOKENS.find(sim, form.get("token") ?? "");
  if (!token) {
    return Response.json({ active: false });
  }
  const isExpired = token.expiresAt !== null && token.expiresAt <= sim.now();
  const status = token.revoked ? "revoked" : isExpired ? "expired" : "active";
  return Response.json({
    active: status === "active",
    status,
    scope: token.scopes.join(","),
    client_id: sim.app.clientId,
    ...(token.expiresAt !== null && { expires_at: Math.floor(token.expiresAt / 1000) }),
    auth_type: "3L",
  });
}
