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
import { PEOPLE } from "./people.ts";

/* The three-legged flow: platforms/linkedin.md part 1. */

const CODE_SECONDS = 1800;
const ACCESS_SECONDS = 5_184_000;
const REFRESH_SECONDS = 31_536_000;

const SCOPES = new Set(
  `openid profile email w_member_social r_member_social w_organization_social r_organization_social
   rw_organization_admin r_organization_admin r_basicprofile`.split(/\s+/),
);

/** The browser's side: all or nothing, no scope can be unticked. */
export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
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
  const stray = scopes.find((scope) => !SCOPES.has(scope));
  if (scopes.length === 0 || stray !== undefined) {
    const error_description = `Scope "${stray ?? ""}" is not authorized for your application`;
    return redirect(redirectUri, { error: "unauthorized_scope_error", error_description, state });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("LinkedIn (sandbox)", url, logins);
  }
  if (!Object.hasOwn(PEOPLE, login)) {
    return redirect(redirectUri, {
      error: "user_cancelled_authorize",
      error_description: "The user cancelled the authorization",
      state,
    });
  }
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQ", consent, CODE_SECONDS), state });
}

const refusal = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status });

/** The form of a client that proved itself in the body, or the refusal. */
async function clientForm(request: Request, sim: Sim): Promise<URLSearchParams | Response> {
  const form = await readForm(request);
  return form.get("client_id") === sim.app.clientId && form.get("client_secret") === sim.app.clientSecret
    ? form
    : refusal(401, "invalid_client", "Client authentication failed");
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issue(sim: Sim, { login, scopes, grant }: Grant, refresh: JsonObject): Response {
  return Response.json({
    access_token: issueToken(sim, "AQX", { login, scopes, grant, kind: "access", extra: {} }, ACCESS_SECONDS),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
    // Sent with spaces, answered with commas.
    scope: scopes.join(","),
    token_type: "Bearer",
    ...refresh,
  });
}

/** Only approved partners are given one. */
function firstRefresh(sim: Sim, { login, scopes, grant }: Grant): JsonObject {
  return sim.settings.extra["partner"] === true
    ? {
        refresh_token: issueToken(sim, "AQW", { login, scopes, grant, kind: "refresh", extra: {} }, REFRESH_SECONDS),
        refresh_token_expires_in: REFRESH_SECONDS,
      }
    : {};
}

export async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await clientForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
      if (!code) {
        return refusal(
          400,
          "invalid_request",
          "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists",
        );
      }
      const grant = { login: code.login, scopes: code.scopes, grant: sim.id(12) };
      return issue(sim, grant, firstRefresh(sim, grant));
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const held = liveToken(sim, secret, "refresh");
      if (!held || held.expiresAt === null) {
        return refusal(400, "invalid_grant", "The provided refresh token is invalid, expired or revoked");
      }
      // The same refresh token comes back, and its life is not extended.
      const left = Math.floor((held.expiresAt - sim.now()) / 1000);
      return issue(sim, held, { refresh_token: secret, refresh_token_expires_in: left });
    }
    default:
      return refusal(400, "invalid_request", "Unsupported grant_type");
  }
}

export async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await clientForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const secret = form.get("token") ?? "";
  const held = liveToken(sim, secret, "access") ?? liveToken(sim, secret, "refresh");
  if (held) {
    revokeLogin(sim, held.login);
  }
  return new Response(null, { status: 200 });
}

export async function introspect(request: Request, sim: Sim): Promise<Response> {
  const form = await clientForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const held = sim.store.get(`token:${form.get("token") ?? ""}`) as Token | undefined;
  if (!held) {
    return Response.json({ active: false });
  }
  const isOver = held.expiresAt !== null && held.expiresAt <= sim.now();
  const status = held.revoked ? "revoked" : isOver ? "expired" : "active";
  return Response.json({
    active: status === "active",
    status,
    scope: held.scopes.join(","),
    client_id: sim.app.clientId,
    ...(held.expiresAt !== null && { expires_at: Math.floor(held.expiresAt / 1000) }),
    auth_type: "3L",
  });
}
