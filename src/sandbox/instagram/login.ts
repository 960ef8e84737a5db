import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import { graphError, namesOf, type Params, textParam } from "#sandbox/graph-api.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  redeemCode,
  redirect,
  type Token,
} from "#sandbox/oauth-server.ts";
import { TEST_USERS } from "./test-users.ts";

/* Business Login (platforms/instagram.md 1A). */

const CODE_LIFETIME_SECONDS = 3600;
const SHORT_TOKEN_LIFETIME_SECONDS = 3600;
const LONG_TOKEN_LIFETIME_SECONDS = 5_183_944;
const REFRESHABLE_AFTER_SECONDS = 24 * 3600;

export const BASIC_SCOPE = "instagram_business_basic";
export const PUBLISH_SCOPE = "instagram_business_content_publish";
export const COMMENT_SCOPE = "instagram_business_manage_comments";
/** The scopes that an app may request: https://developers.facebook.com/docs/permissions#i */
const SCOPES = new Set([
  BASIC_SCOPE,
  PUBLISH_SCOPE,
  "instagram_business_manage_messages",
  COMMENT_SCOPE,
  "instagram_business_manage_insights",
]);

/** The scopes that Meta's review approved for the app. The setting `approved_scopes` replaces them. */
const APPROVED_SCOPES = [BASIC_SCOPE, PUBLISH_SCOPE];

export const errorPage = (text: string): Response =>
  new Response(text, { status: 400, headers: { "content-type": "text/plain" } });

/** The login page that the browser opens. `login=<name>` consents immediately; `untick=<scopes>` declines scopes. */
export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const scopes = (query.get("scope") ?? "").split(/[ ,]/).filter(Boolean);
  if (query.get("client_id") !== sim.app.clientId) {
    return errorPage("Invalid platform app");
  }
  if (!/^https?:$/.test(URL.parse(redirectUri)?.protocol ?? "") || query.get("response_type") !== "code") {
    return errorPage("Invalid redirect_uri or response_type");
  }
  const approved = namesOf(sim.settings.extra["approved_scopes"]) ?? APPROVED_SCOPES;
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.has(scope) && approved.includes(scope))) {
    return errorPage("Invalid scopes");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Instagram (sandbox)", url, logins);
  }
  const state = query.get("state");
  const stateParam: Record<string, string> = state === null ? {} : { state };
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request",
      ...stateParam,
    });
  }
  const declinedScopes = new Set((query.get("untick") ?? "").split(/[ ,]/));
  const grantedScopes = scopes.filter((scope) => !declinedScopes.has(scope));
  const code = issueCode(
    sim,
    "AQB",
    { login, scopes: grantedScopes, redirectUri, challenge: null },
    CODE_LIFETIME_SECONDS,
  );
  return redirect(redirectUri, { code, ...stateParam }, "#_");
}

/** An error of api.instagram.com, whose format differs from that of the Graph API. */
export const oauthError = (message: string): Response =>
  Response.json({ error_type: "OAuthException", code: 400, error_message: message }, { status: 400 });

/**
 * Handles `POST https://api.instagram.com/oauth/access_token`. The body is an urlencoded or multipart form, never JSON.
 */
export async function exchangeCode(request: Request, sim: SimulatorContext): Promise<Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)/.test(type)) {
    return oauthError("Missing required field client_id");
  }
  const form = await request.formData().catch(() => new FormData());
  const value = (name: string): string => {
    const field = form.get(name);
    return typeof field === "string" ? field : "";
  };
  // The error for a wrong client: https://github.com/pdir/social-feed-bundle/issues/105
  if (value("client_id") !== sim.app.clientId) {
    return oauthError("Invalid platform app");
  }
  if (value("client_secret") !== sim.app.clientSecret) {
    return oauthError("Error validating client secret.");
  }
  if (value("grant_type") !== "authorization_code") {
    return oauthError("Invalid grant_type");
  }
  // Some browsers append the fragment `#_` to the code; the document says to remove it.
  const code = await redeemCode(sim, value("code").replace(/#_$/, ""), value("redirect_uri"), null);
  const user = code && TEST_USERS[code.login];
  if (!code || !user) {
    return oauthError("Matching code was not found or was already used, or the redirect_uri does not match");
  }
  const extra = { long: false, at: sim.now() };
  const accessToken = issueToken(
    sim,
    "IGAA",
    { login: code.login, scopes: code.scopes, grant: sim.newId(17), kind: "access", extra },
    SHORT_TOKEN_LIFETIME_SECONDS,
  );
  const isFlat = sim.settings.extra["token_shape"] === "flat";
  const permissions = isFlat ? [...code.scopes] : code.scopes.join(",");
  const body = JSON.stringify({ access_token: accessToken, user_id: "@", permissions });
  // This endpoint sends the id as a JSON number that exceeds the precision of a double.
  const tokenJson = body.replace('"@"', user.appScopedId);
  return new Response(isFlat ? tokenJson : `{"data":[${tokenJson}]}`, {
    headers: { "content-type": "application/json" },
  });
}

function issueLongToken(
  sim: SimulatorContext,
  token: Token,
): { access_token: string; token_type: string; expires_in: number } {
  const { login, scopes, grant } = token;
  const extra = { long: true, at: sim.now() };
  return {
    access_token: issueToken(sim, "IGAA", { login, scopes, grant, kind: "access", extra }, LONG_TOKEN_LIFETIME_SECONDS),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? LONG_TOKEN_LIFETIME_SECONDS,
  };
}

const tokenExpired = (sim: SimulatorContext): Response =>
  graphError(sim, {
    status: 400,
    code: 190,
    subcode: 463,
    message: "Error validating access token: Session has expired.",
  });

/** Handles `GET /access_token?grant_type=ig_exchange_token`. */
export function exchangeForLongToken(sim: SimulatorContext, params: Params): Response {
  if (textParam(params, "grant_type") !== "ig_exchange_token") {
    return graphError(sim, { code: 100, message: "Unsupported grant_type" });
  }
  if (textParam(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 101, message: "Error validating application. Invalid client secret." });
  }
  const token = findValidToken(sim, textParam(params, "access_token") ?? "", "access");
  return token ? Response.json(issueLongToken(sim, token)) : tokenExpired(sim);
}

/** Handles `GET /refresh_access_token`: refreshes a long-lived token that is at least a day old and not expired. */
export function refreshLongToken(sim: SimulatorContext, params: Params): Response {
  if (textParam(params, "grant_type") !== "ig_refresh_token") {
    return graphError(sim, { code: 100, message: "Unsupported grant_type" });
  }
  const token = findValidToken(sim, textParam(params, "access_token") ?? "", "access");
  if (!token) {
    return tokenExpired(sim);
  }
  if (token.extra["long"] !== true || !token.scopes.includes(BASIC_SCOPE)) {
    return graphError(sim, { code: 10, message: `A long-lived token with ${BASIC_SCOPE} is required` });
  }
  // A shortened lifetime also shortens the minimum age; otherwise a token with such a lifetime could never be
  // refreshed.
  const lifetimeSeconds = sim.settings.token_lifetime_s ?? LONG_TOKEN_LIFETIME_SECONDS;
  const minAgeMs =
    (REFRESHABLE_AFTER_SECONDS * 1000 * Math.min(lifetimeSeconds, LONG_TOKEN_LIFETIME_SECONDS)) /
    LONG_TOKEN_LIFETIME_SECONDS;
  if (sim.now() - Number(token.extra["at"]) < minAgeMs) {
    return graphError(sim, { code: 100, message: "The access token must be at least 24 hours old to be refreshed" });
  }
  return Response.json({ ...issueLongToken(sim, token), permissions: token.scopes.join(",") });
}
