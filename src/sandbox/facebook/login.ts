import { refuseProof as checkProof } from "#sandbox/app-secret-proof.ts";
import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import { graphError, type Params, textParam, namesOf } from "#sandbox/graph-api.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  redeemCode,
  redirect,
  type Token,
  TOKENS,
} from "#sandbox/oauth-server.ts";
import { accountsOf, TEST_USERS } from "./test-users.ts";
import { invalidParameter } from "./error-responses.ts";

/* The consent dialog and the tokens (platforms/facebook.md part 1). */

const CODE_LIFETIME_SECONDS = 600;
const SHORT_TOKEN_LIFETIME_SECONDS = 5400;
const LONG_TOKEN_LIFETIME_SECONDS = 5_183_944;
/** The permissions that the app may request. `business_management` also needs the setting of that name. */
const APP_PERMISSIONS = [
  "public_profile",
  "email",
  "pages_show_list",
  "pages_read_engagement",
  "pages_manage_posts",
  "instagram_basic",
  "instagram_content_publish",
];
/** The scopes of a `config_id`, which replaces `scope` in the URL of the dialog. */
const CONFIGURATION_SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];

/** The permissions of the app, to which the settings `business_management` and `extra_permissions` add some. */
const appPermissions = (sim: SimulatorContext): readonly string[] => [
  ...APP_PERMISSIONS,
  ...(sim.settings.extra["business_management"] === true ? ["business_management"] : []),
  ...(namesOf(sim.settings.extra["extra_permissions"]) ?? []),
];

const declinedKey = (login: string): string => `declined:${login}`;

/** The permissions that a user has declined and not granted since. */
export const declinedPermissions = (sim: SimulatorContext, login: string): readonly string[] =>
  sim.store.get<readonly string[]>(declinedKey(login)) ?? [];

/** The consent dialog in the browser. `untick` in the query declines scopes, as a user can on the real page. */
export function consentDialog(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const isCode = (query.get("response_type") ?? "code") === "code";
  if (query.get("client_id") !== sim.app.clientId || !isCode || !URL.canParse(redirectUri)) {
    return new Response("Invalid app id, response_type or redirect_uri", { status: 400 });
  }
  const configuration = query.has("config_id") ? CONFIGURATION_SCOPES : null;
  const requestedScopes = configuration ?? (query.get("scope") ?? "").split(",").filter(Boolean);
  const invalidScopes = requestedScopes.filter((scope) => !appPermissions(sim).includes(scope));
  if (invalidScopes.length > 0) {
    return new Response(
      `Invalid Scopes: ${invalidScopes.join(", ")}. This message is only shown to developers. Users of your app will ignore these permissions if present.`,
      { status: 400 },
    );
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Facebook (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "Permissions error",
      state,
    });
  }
  // The dialog shows a declined permission again only if the call asks for that.
  const hidden = configuration || query.get("auth_type") === "rerequest" ? [] : declinedPermissions(sim, login);
  const unticked = (query.get("untick") ?? "").split(",").filter(Boolean);
  const scopes = requestedScopes.filter((scope) => !unticked.includes(scope) && !hidden.includes(scope));
  const declined = new Set([...declinedPermissions(sim, login), ...unticked]);
  sim.store.put(
    declinedKey(login),
    [...declined].filter((scope) => !scopes.includes(scope)),
  );
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQ", consent, CODE_LIFETIME_SECONDS), state }, "#_=_");
}

function issueAccessToken(
  sim: SimulatorContext,
  { login, scopes, grant }: Pick<Token, "login" | "scopes" | "grant">,
  isLongLived: boolean,
): Response {
  const seconds = isLongLived ? LONG_TOKEN_LIFETIME_SECONDS : SHORT_TOKEN_LIFETIME_SECONDS;
  const token = { login, scopes, grant, kind: "access" as const, extra: { long: isLongLived } };
  return Response.json({
    access_token: issueToken(sim, "EAA", token, seconds),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? seconds,
  });
}

const appToken = (sim: SimulatorContext): string => `${sim.app.clientId}|${sim.app.clientSecret}`;

/**
 * Handles `POST /oauth/access_token` (the platform also accepts GET): exchanges a code, a short-lived token or the
 * app's credentials for a token.
 */
export async function accessTokenEndpoint(sim: SimulatorContext, params: Params): Promise<Response> {
  // The real API answers an unknown app so: https://github.com/sns-sdks/python-facebook/issues/271
  if (textParam(params, "client_id") !== sim.app.clientId) {
    return graphError(sim, {
      code: 101,
      message: "Error validating application. Cannot get application info due to a system error.",
    });
  }
  if (textParam(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 1, message: "Error validating client secret." });
  }
  switch (textParam(params, "grant_type")) {
    case "fb_exchange_token": {
      const token = findValidToken(sim, textParam(params, "fb_exchange_token") ?? "", "access");
      return token
        ? issueAccessToken(sim, token, true)
        : graphError(sim, { code: 190, subcode: 463, message: "Error validating access token: Session has expired." });
    }
    case "client_credentials":
      return Response.json({ access_token: appToken(sim), token_type: "bearer" });
    default: {
      const code = await redeemCode(
        sim,
        textParam(params, "code") ?? "",
        textParam(params, "redirect_uri") ?? "",
        null,
      );
      return code
        ? issueAccessToken(sim, { login: code.login, scopes: code.scopes, grant: sim.newId(12) }, false)
        : graphError(sim, { code: 100, subcode: 36_009, message: "This authorization code has been used." });
    }
  }
}

/** Handles `GET /debug_token`, called with the app's own token. */
export function debugToken(sim: SimulatorContext, params: Params): Response {
  if (textParam(params, "access_token") !== appToken(sim)) {
    return invalidParameter(sim, "You must provide an app access token or a user access token of an owner of the app");
  }
  const secret = textParam(params, "input_token") ?? "";
  const token = TOKENS.find(sim, secret);
  const page = token?.extra["page"];
  return Response.json({
    data: {
      app_id: sim.app.clientId,
      type: page === undefined ? "USER" : "PAGE",
      ...(page !== undefined && { profile_id: page }),
      is_valid: findValidToken(sim, secret, "access") !== undefined,
      expires_at: Math.floor((token?.expiresAt ?? 0) / 1000),
      data_access_expires_at: Math.floor(sim.now() / 1000) + 90 * 86_400,
      scopes: token?.scopes ?? [],
      granular_scopes: (token?.scopes ?? [])
        .filter((scope) => scope.startsWith("pages_"))
        .map((scope) => ({ scope, target_ids: accountsOf(token?.login ?? "") })),
    },
  });
}

/** Refuses a call without a valid `appsecret_proof`. The setting `require_proof: false` makes the proof optional. */
export const refuseProof = (sim: SimulatorContext, params: Params, secret: string): Promise<Response | null> =>
  checkProof(sim, params, secret, sim.settings.extra["require_proof"] !== false);
