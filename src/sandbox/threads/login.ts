import { DAY } from "#core/clock.ts";
import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import { graphError, namesOf, type Params, textParam } from "#sandbox/graph-api.ts";
import {
  bearerToken,
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  redeemCode,
  redirect,
  type Token,
  TOKENS,
} from "#sandbox/oauth-server.ts";
import { invalidClientSecret, tokenExpired } from "./error-responses.ts";
import { TEST_USERS } from "./test-users.ts";

/* The OAuth login:
   https://developers.facebook.com/documentation/threads/get-started/get-access-tokens-and-permissions */

/** The scopes that an app may request: https://developers.facebook.com/docs/permissions#t */
const KNOWN_SCOPES = new Set([
  "threads_basic",
  "threads_content_publish",
  "threads_delete",
  "threads_keyword_search",
  "threads_location_tagging",
  "threads_manage_insights",
  "threads_manage_mentions",
  "threads_manage_replies",
  "threads_profile_discovery",
  "threads_read_replies",
]);
/** The scopes that Meta's review approved for the app. The setting `approved_scopes` replaces them. */
const APPROVED_SCOPES = ["threads_basic", "threads_content_publish", "threads_delete"];

const CODE_LIFETIME_SECONDS = 3600;
const SHORT_TOKEN_LIFETIME_SECONDS = 3600;
const LONG_TOKEN_LIFETIME_SECONDS = 5_183_944;

/** The login page that the browser opens. `untick` in the query declines scopes, as a user can on the real page. */
export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const approved = namesOf(sim.settings.extra["approved_scopes"]) ?? APPROVED_SCOPES;
  const isValidRequest = query.get("client_id") === sim.app.clientId && query.get("response_type") === "code";
  const requestedScopes = (query.get("scope") ?? "").split(",").filter(Boolean);
  if (!isValidRequest || !URL.canParse(redirectUri) || !requestedScopes.includes("threads_basic")) {
    return new Response("Invalid client_id, response_type, redirect_uri or scope", { status: 400 });
  }
  const unavailable = requestedScopes.find((scope) => !KNOWN_SCOPES.has(scope) || !approved.includes(scope));
  if (unavailable !== undefined) {
    return new Response(`Invalid Scopes: ${unavailable}`, { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Threads (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request.",
      state,
    });
  }
  const declinedScopes = new Set((query.get("untick") ?? "").split(","));
  const scopes = requestedScopes.filter((scope) => !declinedScopes.has(scope));
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQB", consent, CODE_LIFETIME_SECONDS), state }, "#_");
}

function issueAccessToken(
  sim: SimulatorContext,
  { login, scopes, grant }: Pick<Token, "login" | "scopes" | "grant">,
  isLongLived: boolean,
): string {
  const extra = { long: isLongLived, at: sim.now() };
  const seconds = isLongLived ? LONG_TOKEN_LIFETIME_SECONDS : SHORT_TOKEN_LIFETIME_SECONDS;
  return issueToken(sim, "TH", { login, scopes, grant, kind: "access", extra }, seconds);
}

/**
 * Handles `POST /oauth/access_token`: exchanges a code for a token of one hour, or the app's credentials for an app
 * token.
 */
export async function exchangeCode(sim: SimulatorContext, params: Params): Promise<Response> {
  if (
    textParam(params, "client_id") !== sim.app.clientId ||
    textParam(params, "client_secret") !== sim.app.clientSecret
  ) {
    return invalidClientSecret(sim);
  }
  // The result is a token of the app itself:
  // https://developers.facebook.com/documentation/threads/get-started/app-access-tokens
  if (textParam(params, "grant_type") === "client_credentials") {
    return Response.json({
      access_token: `TH|${sim.app.clientId}|${sim.newSecret("")}`,
      token_type: "bearer",
    });
  }
  const isCode = textParam(params, "grant_type") === "authorization_code";
  const redirectUri = textParam(params, "redirect_uri") ?? "";
  const code = isCode ? await redeemCode(sim, textParam(params, "code") ?? "", redirectUri, null) : undefined;
  if (!code) {
    return graphError(sim, {
      code: 100,
      message: "This authorization code has been used, has expired, or does not match the redirect_uri.",
    });
  }
  const secret = issueAccessToken(sim, { login: code.login, scopes: code.scopes, grant: sim.newId(12) }, false);
  // The platform sends the id as a JSON number that exceeds the precision of a double.
  const text = JSON.stringify({ access_token: secret, user_id: "@" }).replace('"@"', TEST_USERS[code.login]?.id ?? "0");
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const longTokenResponse = (sim: SimulatorContext, token: Token): Response =>
  Response.json({
    access_token: issueAccessToken(sim, token, true),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? LONG_TOKEN_LIFETIME_SECONDS,
  });

/** Handles `GET /access_token`: exchanges a token of one hour for one of 60 days. */
export function exchangeForLongToken(sim: SimulatorContext, params: Params): Response {
  const isExchange = textParam(params, "grant_type") === "th_exchange_token";
  if (!isExchange || textParam(params, "client_secret") !== sim.app.clientSecret) {
    return invalidClientSecret(sim);
  }
  const token = findValidToken(sim, textParam(params, "access_token") ?? "", "access");
  return token ? longTokenResponse(sim, token) : tokenExpired(sim);
}

/** Handles `GET /refresh_access_token`: refreshes a long-lived token that is at least 24 hours old. */
export function refreshLongToken(sim: SimulatorContext, params: Params): Response {
  const token = findValidToken(sim, textParam(params, "access_token") ?? "", "access");
  if (!token || textParam(params, "grant_type") !== "th_refresh_token") {
    return tokenExpired(sim);
  }
  // With a shortened lifetime no token reaches the minimum age, so the age is not checked then.
  const isTooYoung = sim.now() - Number(token.extra["at"]) < DAY && sim.settings.token_lifetime_s === null;
  return token.extra["long"] !== true || isTooYoung
    ? graphError(sim, { code: 100, message: "The access token must be a long-lived one and at least 24 hours old." })
    : longTokenResponse(sim, token);
}

/**
 * Handles `GET /debug_token`. The caller needs the token of a tester of the app, so a user's own token is not enough
 * (https://developers.facebook.com/documentation/threads/troubleshooting/debug-access-token).
 */
export function debugToken(sim: SimulatorContext, request: Request, params: Params): Response {
  const asking = findValidToken(sim, bearerToken(request) ?? textParam(params, "access_token") ?? "", "access");
  if (!asking) {
    return tokenExpired(sim);
  }
  if (namesOf(sim.settings.extra["testers"])?.includes(asking.login) !== true) {
    return graphError(sim, {
      status: 403,
      code: 10,
      message: "(#10) The access token must be that of a Threads tester of this app",
    });
  }
  const secret = textParam(params, "input_token") ?? "";
  const token = TOKENS.find(sim, secret);
  return Response.json({
    data: {
      type: "USER",
      application: "sandbox",
      is_valid: findValidToken(sim, secret, "access") !== undefined,
      issued_at: Math.floor(Number(token?.extra["at"] ?? 0) / 1000),
      expires_at: Math.floor((token?.expiresAt ?? 0) / 1000),
      scopes: token?.scopes ?? [],
      user_id: TEST_USERS[token?.login ?? ""]?.id ?? "0",
    },
  });
}
