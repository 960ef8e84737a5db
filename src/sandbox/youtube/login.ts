import type { JsonObject } from "#core/json.ts";
import type { Sim, SimLogin } from "#sandbox/contract.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  liveToken,
  readForm,
  redeemCode,
  redirect,
  revokeLogin,
  type Token,
} from "#sandbox/grants.ts";
import { CHANNELS } from "./channels.ts";

/* Google's web server flow: platforms/youtube.md part 1. */

const CODE_SECONDS = 600;
const ACCESS_SECONDS = 3599;
const TESTING_REFRESH_SECONDS = 604_799;
/** Codes of a consent that gives a refresh token begin like this. */
const OFFLINE = "4/o-";
const ONLINE = "4/n-";

const page = (text: string): Response =>
  new Response(`Error 400: ${text}`, { status: 400, headers: { "content-type": "text/plain" } });

/** The browser's side; `untick` in the query leaves scopes out, as a person may. */
export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const wanted = (query.get("scope") ?? "").split(" ").filter(Boolean);
  if (query.get("client_id") !== sim.app.clientId) {
    return page("invalid_client");
  }
  if (!URL.canParse(redirectUri)) {
    return page("redirect_uri_mismatch");
  }
  if (query.get("response_type") !== "code" || wanted.length === 0) {
    return page("invalid_request");
  }
  const challenge = query.get("code_challenge");
  if (challenge !== null && query.get("code_challenge_method") !== "S256") {
    return page("invalid_request: only S256 is played here");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Google (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(CHANNELS, login)) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const unticked = new Set((query.get("untick") ?? "").split(" "));
  const scopes = wanted.filter((scope) => !unticked.has(scope));
  const isOffline =
    query.get("access_type") === "offline" && (query.get("prompt") ?? "").split(" ").includes("consent");
  const consent = { login, scopes, redirectUri, challenge };
  return redirect(redirectUri, {
    state,
    code: issueCode(sim, isOffline ? OFFLINE : ONLINE, consent, CODE_SECONDS),
    scope: scopes.join(" "),
  });
}

const badGrant = (description: string): Response =>
  Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function accessTo(sim: Sim, { login, scopes, grant }: Grant): JsonObject {
  return {
    access_token: issueToken(sim, "ya29.", { login, scopes, grant, kind: "access", extra: {} }, ACCESS_SECONDS),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
    scope: scopes.join(" "),
    token_type: "Bearer",
  };
}

/** A refresh token lives until it is revoked, unless the app is in its testing phase. */
function refreshFor(sim: Sim, { login, scopes, grant }: Grant): JsonObject {
  const seconds = sim.settings.extra["testing"] === true ? TESTING_REFRESH_SECONDS : null;
  return {
    refresh_token: issueToken(sim, "1//0", { login, scopes, grant, kind: "refresh", extra: {} }, seconds),
    ...(seconds !== null && { refresh_token_expires_in: seconds }),
  };
}

export async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  if (form.get("client_id") !== sim.app.clientId || form.get("client_secret") !== sim.app.clientSecret) {
    return Response.json({ error: "invalid_client", error_description: "Unauthorized" }, { status: 401 });
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const secret = form.get("code") ?? "";
      const code = await redeemCode(sim, secret, form.get("redirect_uri") ?? "", form.get("code_verifier"));
      if (!code) {
        return badGrant("Malformed auth code.");
      }
      const grant = { login: code.login, scopes: code.scopes, grant: sim.id(12) };
      return Response.json({
        ...accessTo(sim, grant),
        ...(secret.startsWith(OFFLINE) && refreshFor(sim, grant)),
      });
    }
    case "refresh_token": {
      const held = liveToken(sim, form.get("refresh_token") ?? "", "refresh");
      return held ? Response.json(accessTo(sim, held)) : badGrant("Token has been expired or revoked.");
    }
    default:
      return Response.json({ error: "unsupported_grant_type" }, { status: 400 });
  }
}

/** The whole grant of that person for the project goes, not one token. */
export async function revoke(request: Request, url: URL, sim: Sim): Promise<Response> {
  const secret = (await readForm(request)).get("token") ?? url.searchParams.get("token") ?? "";
  const held = liveToken(sim, secret, "access") ?? liveToken(sim, secret, "refresh");
  if (!held) {
    return Response.json({ error: "invalid_token" }, { status: 400 });
  }
  revokeLogin(sim, held.login);
  return Response.json({});
}
