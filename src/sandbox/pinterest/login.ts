import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import {
  basicAuth,
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
import { invalidGrant, invalidParameters, jsonResponse, unauthorized } from "./responses.ts";
import { TEST_USERS } from "./test-users.ts";

/* The browser login and the token endpoint (platforms/pinterest.md part 1). */

const CODE_LIFETIME_SECONDS = 600;
const ACCESS_TOKEN_LIFETIME_SECONDS = 30 * 24 * 3600;
const REFRESH_TOKEN_LIFETIME_SECONDS = 60 * 24 * 3600;

/**
 * The scopes in `pinterest_oauth2` under `securitySchemes` of https://github.com/pinterest/api-description
 * (v5/openapi.yaml, 5.23.0).
 */
const KNOWN_SCOPES: ReadonlySet<string> = new Set(
  ["ads", "billing", "biz_access", "boards", "catalogs", "pins", "user_accounts"]
    .flatMap((area) => [`${area}:read`, `${area}:write`])
    .concat(["boards", "pins"].flatMap((area) => [`${area}:read_secret`, `${area}:write_secret`]))
    .concat("msot:write"),
);

export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const isKnown = query.get("client_id") === sim.app.clientId && query.get("response_type") === "code";
  if (!isKnown || !URL.canParse(redirectUri)) {
    return new Response("invalid client_id, response_type or redirect_uri", { status: 400 });
  }
  const scopes = (query.get("scope") ?? "").split(",").filter(Boolean);
  // Pinterest documents no answer; RFC 6749 names it so, and the stricter reading is that nothing reaches the callback.
  if (scopes.length === 0 || scopes.some((scope) => !KNOWN_SCOPES.has(scope))) {
    return new Response("invalid_scope", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Pinterest (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "", consent, CODE_LIFETIME_SECONDS), state });
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issueTokens(sim: SimulatorContext, { login, scopes, grant }: Grant): Response {
  const claims = { login, scopes, grant, extra: {} };
  return jsonResponse(sim, 200, {
    response_type: "authorization_code",
    token_type: "bearer",
    access_token: issueToken(sim, "pina_", { ...claims, kind: "access" }, ACCESS_TOKEN_LIFETIME_SECONDS),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_TOKEN_LIFETIME_SECONDS,
    refresh_token: issueToken(sim, "pinr.", { ...claims, kind: "refresh" }, REFRESH_TOKEN_LIFETIME_SECONDS),
    refresh_token_expires_in: REFRESH_TOKEN_LIFETIME_SECONDS,
    refresh_token_expires_at: Math.floor(sim.now() / 1000) + REFRESH_TOKEN_LIFETIME_SECONDS,
    scope: scopes.join(" "),
  });
}

export async function tokenEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const client = basicAuth(request);
  if (client?.id !== sim.app.clientId || client.secret !== sim.app.clientSecret) {
    return unauthorized(sim);
  }
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return invalidParameters(sim, "the body must be a form");
  }
  const form = await readForm(request);
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
      return code
        ? issueTokens(sim, { login: code.login, scopes: code.scopes, grant: sim.newId(12) })
        : invalidGrant(sim);
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const token = findValidToken(sim, secret, "refresh");
      if (!token) {
        return invalidGrant(sim);
      }
      const scopes = form.get("scope")?.split(",") ?? token.scopes;
      if (scopes.some((scope) => !token.scopes.includes(scope))) {
        return invalidParameters(sim, "scope is wider than what was granted");
      }
      revokeToken(sim, secret);
      return issueTokens(sim, { login: token.login, scopes, grant: token.grant });
    }
    default:
      return invalidParameters(sim, "grant_type");
  }
}
