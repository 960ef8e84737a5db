import type { Sim, SimLogin } from "#sandbox/contract.ts";
import { graphError, type Params, textOf } from "#sandbox/graph.ts";
import { consentPage, issueCode, issueToken, liveToken, redeemCode, redirect, type Token } from "#sandbox/grants.ts";
import { PEOPLE } from "./people.ts";

/* Business Login: platforms/instagram.md 1A. */

const CODE_SECONDS = 3600;
const SHORT_SECONDS = 3600;
const LONG_SECONDS = 5_183_944;
const REFRESHABLE_AFTER_SECONDS = 24 * 3600;

export const BASIC = "instagram_business_basic";
export const PUBLISH = "instagram_business_content_publish";
const SCOPES = new Set([
  BASIC,
  PUBLISH,
  "instagram_business_manage_messages",
  "instagram_business_manage_comments",
  "instagram_business_manage_insights",
]);

const page = (text: string): Response => new Response(text, { status: 400, headers: { "content-type": "text/plain" } });

/** The browser's side: `login=<name>` consents at once; `untick=<scopes>` leaves some of them out. */
export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const scopes = (query.get("scope") ?? "").split(/[ ,]/).filter(Boolean);
  if (query.get("client_id") !== sim.app.clientId) {
    return page("Invalid platform app");
  }
  if (!/^https?:$/.test(URL.parse(redirectUri)?.protocol ?? "") || query.get("response_type") !== "code") {
    return page("Invalid redirect_uri or response_type");
  }
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.has(scope))) {
    return page("Invalid scopes");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Instagram (sandbox)", url, logins);
  }
  const state = query.get("state");
  const echoed: Record<string, string> = state === null ? {} : { state };
  if (!Object.hasOwn(PEOPLE, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request",
      ...echoed,
    });
  }
  const unticked = new Set((query.get("untick") ?? "").split(/[ ,]/));
  const granted = scopes.filter((scope) => !unticked.has(scope));
  const code = issueCode(sim, "AQB", { login, scopes: granted, redirectUri, challenge: null }, CODE_SECONDS);
  return redirect(redirectUri, { code, ...echoed }, "#_");
}

/** This host's own error shape. */
const refusal = (message: string): Response =>
  Response.json({ error_type: "OAuthException", code: 400, error_message: message }, { status: 400 });

/** POST https://api.instagram.com/oauth/access_token: a form of either kind, never JSON. */
export async function shortToken(request: Request, sim: Sim): Promise<Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)/.test(type)) {
    return refusal("Missing required field client_id");
  }
  const form = await request.formData().catch(() => new FormData());
  const value = (name: string): string => {
    const given = form.get(name);
    return typeof given === "string" ? given : "";
  };
  if (value("client_id") !== sim.app.clientId || value("client_secret") !== sim.app.clientSecret) {
    return refusal("Error validating client secret.");
  }
  if (value("grant_type") !== "authorization_code") {
    return refusal("Invalid grant_type");
  }
  // Browsers bring the fragment's `#_` along now and then; the document says to drop it.
  const code = await redeemCode(sim, value("code").replace(/#_$/, ""), value("redirect_uri"), null);
  const person = code && PEOPLE[code.login];
  if (!code || !person) {
    return refusal("Matching code was not found or was already used, or the redirect_uri does not match");
  }
  const extra = { long: false, at: sim.now() };
  const accessToken = issueToken(
    sim,
    "IGAA",
    { login: code.login, scopes: code.scopes, grant: sim.id(17), kind: "access", extra },
    SHORT_SECONDS,
  );
  const flat = sim.settings.extra["token_shape"] === "flat";
  const permissions = flat ? [...code.scopes] : code.scopes.join(",");
  const body = JSON.stringify({ access_token: accessToken, user_id: "@", permissions });
  // The id is a bare number here, larger than a double can hold.
  const one = body.replace('"@"', person.appScopedId);
  return new Response(flat ? one : `{"data":[${one}]}`, { headers: { "content-type": "application/json" } });
}

function longToken(sim: Sim, held: Token): { access_token: string; token_type: string; expires_in: number } {
  const { login, scopes, grant } = held;
  const extra = { long: true, at: sim.now() };
  return {
    access_token: issueToken(sim, "IGAA", { login, scopes, grant, kind: "access", extra }, LONG_SECONDS),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? LONG_SECONDS,
  };
}

const expired = (sim: Sim): Response =>
  graphError(sim, {
    status: 400,
    code: 190,
    subcode: 463,
    message: "Error validating access token: Session has expired.",
  });

/** GET /access_token?grant_type=ig_exchange_token */
export function exchange(sim: Sim, params: Params): Response {
  if (textOf(params, "grant_type") !== "ig_exchange_token") {
    return graphError(sim, { code: 100, message: "Unsupported grant_type" });
  }
  if (textOf(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 101, message: "Error validating application. Invalid client secret." });
  }
  const held = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  return held ? Response.json(longToken(sim, held)) : expired(sim);
}

/** GET /refresh_access_token: a long-lived token that is a day old and not dead yet. */
export function refresh(sim: Sim, params: Params): Response {
  if (textOf(params, "grant_type") !== "ig_refresh_token") {
    return graphError(sim, { code: 100, message: "Unsupported grant_type" });
  }
  const held = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  if (!held) {
    return expired(sim);
  }
  if (held.extra["long"] !== true || !held.scopes.includes(BASIC)) {
    return graphError(sim, { code: 10, message: `A long-lived token with ${BASIC} is required` });
  }
  // A shortened lifetime shortens the waiting time with it, else such a token could never be refreshed.
  const life = sim.settings.token_lifetime_s ?? LONG_SECONDS;
  const waitMs = (REFRESHABLE_AFTER_SECONDS * 1000 * Math.min(life, LONG_SECONDS)) / LONG_SECONDS;
  if (sim.now() - Number(held.extra["at"]) < waitMs) {
    return graphError(sim, { code: 100, message: "The access token must be at least 24 hours old to be refreshed" });
  }
  return Response.json({ ...longToken(sim, held), permissions: held.scopes.join(",") });
}
