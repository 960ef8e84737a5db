import { toHex } from "#core/encoding.ts";
import type { Sim, SimLogin } from "#sandbox/contract.ts";
import { graphError, type Params, textOf } from "#sandbox/graph.ts";
import { consentPage, issueCode, issueToken, liveToken, redeemCode, redirect, type Token } from "#sandbox/grants.ts";
import { accountsOf, PEOPLE } from "./people.ts";
import { invalid } from "./problems.ts";

/* The dialog and the tokens: platforms/facebook.md part 1. */

const CODE_SECONDS = 600;
const SHORT_SECONDS = 5400;
const LONG_SECONDS = 5_183_944;
/** What a `config_id` stands for, which replaces the scopes of the dialog. */
const CONFIGURED = ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management"];

/** The browser's side; `untick` in the query leaves scopes out, as a person may. */
export function dialog(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const isCode = (query.get("response_type") ?? "code") === "code";
  if (query.get("client_id") !== sim.app.clientId || !isCode || !URL.canParse(redirectUri)) {
    return new Response("Invalid app id, response_type or redirect_uri", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Facebook (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(PEOPLE, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "Permissions error",
      state,
    });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const wanted = query.has("config_id") ? CONFIGURED : (query.get("scope") ?? "").split(",").filter(Boolean);
  const scopes = wanted.filter((scope) => !unticked.has(scope));
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQ", consent, CODE_SECONDS), state }, "#_=_");
}

function issue(sim: Sim, { login, scopes, grant }: Pick<Token, "login" | "scopes" | "grant">, long: boolean): Response {
  const seconds = long ? LONG_SECONDS : SHORT_SECONDS;
  const held = { login, scopes, grant, kind: "access" as const, extra: { long } };
  return Response.json({
    access_token: issueToken(sim, "EAA", held, seconds),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? seconds,
  });
}

const appToken = (sim: Sim): string => `${sim.app.clientId}|${sim.app.clientSecret}`;

/** GET or POST /oauth/access_token: a code, a short token or the app's own credentials for a token. */
export async function accessToken(sim: Sim, params: Params): Promise<Response> {
  if (textOf(params, "client_id") !== sim.app.clientId || textOf(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 1, message: "Error validating client secret." });
  }
  switch (textOf(params, "grant_type")) {
    case "fb_exchange_token": {
      const held = liveToken(sim, textOf(params, "fb_exchange_token") ?? "", "access");
      return held
        ? issue(sim, held, true)
        : graphError(sim, { code: 190, subcode: 463, message: "Error validating access token: Session has expired." });
    }
    case "client_credentials":
      return Response.json({ access_token: appToken(sim), token_type: "bearer" });
    default: {
      const code = await redeemCode(sim, textOf(params, "code") ?? "", textOf(params, "redirect_uri") ?? "", null);
      return code
        ? issue(sim, { login: code.login, scopes: code.scopes, grant: sim.id(12) }, false)
        : graphError(sim, { code: 100, subcode: 36_009, message: "This authorization code has been used." });
    }
  }
}

/** GET /debug_token, asked with the app's own token. */
export function debugToken(sim: Sim, params: Params): Response {
  if (textOf(params, "access_token") !== appToken(sim)) {
    return invalid(sim, "You must provide an app access token or a user access token of an owner of the app");
  }
  const secret = textOf(params, "input_token") ?? "";
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  const page = known?.extra["page"];
  return Response.json({
    data: {
      app_id: sim.app.clientId,
      type: page === undefined ? "USER" : "PAGE",
      ...(page !== undefined && { profile_id: page }),
      is_valid: liveToken(sim, secret, "access") !== undefined,
      expires_at: Math.floor((known?.expiresAt ?? 0) / 1000),
      data_access_expires_at: Math.floor(sim.now() / 1000) + 90 * 86_400,
      scopes: known?.scopes ?? [],
      granular_scopes: (known?.scopes ?? [])
        .filter((scope) => scope.startsWith("pages_"))
        .map((scope) => ({ scope, target_ids: accountsOf(known?.login ?? "") })),
    },
  });
}

/** Whether the proof that a call brings belongs to its token; where none is brought, none is demanded. */
export async function isProved(sim: Sim, params: Params, secret: string): Promise<boolean> {
  const proof = textOf(params, "appsecret_proof");
  if (proof === null) {
    return sim.settings.extra["require_proof"] !== true;
  }
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(sim.app.clientSecret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(secret)))) === proof;
}
