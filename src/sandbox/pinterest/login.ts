import type { Sim, SimLogin } from "#sandbox/contract.ts";
import {
  basicAuth,
  consentPage,
  issueCode,
  issueToken,
  liveToken,
  readForm,
  redeemCode,
  redirect,
  spendToken,
  type Token,
} from "#sandbox/grants.ts";
import { answer, fail, invalid, unauthorized } from "./answers.ts";
import { PEOPLE } from "./people.ts";

/* The browser login and the token endpoint: platforms/pinterest.md part 1. */

const CODE_SECONDS = 600;
const ACCESS_SECONDS = 30 * 24 * 3600;
const REFRESH_SECONDS = 60 * 24 * 3600;

export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const isKnown = query.get("client_id") === sim.app.clientId && query.get("response_type") === "code";
  if (!isKnown || !URL.canParse(redirectUri)) {
    return new Response("invalid client_id, response_type or redirect_uri", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Pinterest (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(PEOPLE, login)) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const scopes = (query.get("scope") ?? "").split(",").filter(Boolean);
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "", consent, CODE_SECONDS), state });
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issue(sim: Sim, { login, scopes, grant }: Grant): Response {
  const held = { login, scopes, grant, extra: {} };
  return answer(sim, 200, {
    response_type: "authorization_code",
    token_type: "bearer",
    access_token: issueToken(sim, "pina_", { ...held, kind: "access" }, ACCESS_SECONDS),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
    refresh_token: issueToken(sim, "pinr.", { ...held, kind: "refresh" }, REFRESH_SECONDS),
    refresh_token_expires_in: REFRESH_SECONDS,
    refresh_token_expires_at: Math.floor(sim.now() / 1000) + REFRESH_SECONDS,
    scope: scopes.join(" "),
  });
}

export async function token(request: Request, sim: Sim): Promise<Response> {
  const client = basicAuth(request);
  if (client?.id !== sim.app.clientId || client.secret !== sim.app.clientSecret) {
    return unauthorized(sim);
  }
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return invalid(sim, "the body must be a form");
  }
  const form = await readForm(request);
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
      return code
        ? issue(sim, { login: code.login, scopes: code.scopes, grant: sim.id(12) })
        : fail(sim, 400, 283, "The authorization code is invalid.");
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const held = liveToken(sim, secret, "refresh");
      if (!held) {
        return unauthorized(sim);
      }
      const scopes = form.get("scope")?.split(",") ?? held.scopes;
      if (scopes.some((scope) => !held.scopes.includes(scope))) {
        return invalid(sim, "scope is wider than what was granted");
      }
      spendToken(sim, secret);
      return issue(sim, { login: held.login, scopes, grant: held.grant });
    }
    default:
      return invalid(sim, "grant_type");
  }
}
