import { DAY } from "#core/clock.ts";
import type { Sim, SimLogin } from "#sandbox/contract.ts";
import { graphError, type Params, textOf } from "#sandbox/graph.ts";
import { consentPage, issueCode, issueToken, liveToken, redeemCode, redirect, type Token } from "#sandbox/grants.ts";
import { badSecret, expired } from "./problems.ts";
import { PROFILES } from "./profiles.ts";

/* OAuth: platforms/threads.md part 1. */

const CODE_SECONDS = 3600;
const SHORT_SECONDS = 3600;
const LONG_SECONDS = 5_183_944;

/** The browser's side; `untick` in the query leaves scopes out, as a person may. */
export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const isKnown = query.get("client_id") === sim.app.clientId && query.get("response_type") === "code";
  const wanted = (query.get("scope") ?? "").split(",").filter(Boolean);
  if (!isKnown || !URL.canParse(redirectUri) || !wanted.includes("threads_basic")) {
    return new Response("Invalid client_id, response_type, redirect_uri or scope", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Threads (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(PROFILES, login)) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request.",
      state,
    });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const scopes = wanted.filter((scope) => !unticked.has(scope));
  const consent = { login, scopes, redirectUri, challenge: null };
  return redirect(redirectUri, { code: issueCode(sim, "AQB", consent, CODE_SECONDS), state }, "#_");
}

function issue(sim: Sim, { login, scopes, grant }: Pick<Token, "login" | "scopes" | "grant">, long: boolean): string {
  const extra = { long, at: sim.now() };
  const seconds = long ? LONG_SECONDS : SHORT_SECONDS;
  return issueToken(sim, "TH", { login, scopes, grant, kind: "access", extra }, seconds);
}

/** POST /oauth/access_token: a token for an hour. */
export async function codeForToken(sim: Sim, params: Params): Promise<Response> {
  if (textOf(params, "client_id") !== sim.app.clientId || textOf(params, "client_secret") !== sim.app.clientSecret) {
    return badSecret(sim);
  }
  const isCode = textOf(params, "grant_type") === "authorization_code";
  const redirectUri = textOf(params, "redirect_uri") ?? "";
  const code = isCode ? await redeemCode(sim, textOf(params, "code") ?? "", redirectUri, null) : undefined;
  if (!code) {
    return graphError(sim, {
      code: 100,
      message: "This authorization code has been used, has expired, or does not fit the redirect_uri.",
    });
  }
  const secret = issue(sim, { login: code.login, scopes: code.scopes, grant: sim.id(12) }, false);
  // A bare number, as the platform sends it: whoever parses it as one has lost it.
  const text = JSON.stringify({ access_token: secret, user_id: "@" }).replace('"@"', PROFILES[code.login]?.id ?? "0");
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const longAnswer = (sim: Sim, held: Token): Response =>
  Response.json({
    access_token: issue(sim, held, true),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? LONG_SECONDS,
  });

/** GET /access_token: 60 days for an hour. */
export function exchange(sim: Sim, params: Params): Response {
  const isAsked = textOf(params, "grant_type") === "th_exchange_token";
  if (!isAsked || textOf(params, "client_secret") !== sim.app.clientSecret) {
    return badSecret(sim);
  }
  const held = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  return held ? longAnswer(sim, held) : expired(sim);
}

/** GET /refresh_access_token: not on the token's first day. */
export function refresh(sim: Sim, params: Params): Response {
  const held = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  if (!held || textOf(params, "grant_type") !== "th_refresh_token") {
    return expired(sim);
  }
  // Where the settings shorten the life of tokens, no token ever lives through its first day.
  const isYoung = sim.now() - Number(held.extra["at"]) < DAY && sim.settings.token_lifetime_s === null;
  return held.extra["long"] !== true || isYoung
    ? graphError(sim, { code: 100, message: "The access token must be a long-lived one and at least 24 hours old." })
    : longAnswer(sim, held);
}

/** GET /debug_token */
export function debugToken(sim: Sim, params: Params): Response {
  if (!liveToken(sim, textOf(params, "access_token") ?? "", "access")) {
    return expired(sim);
  }
  const secret = textOf(params, "input_token") ?? "";
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  return Response.json({
    data: {
      type: "USER",
      application: "sandbox",
      is_valid: liveToken(sim, secret, "access") !== undefined,
      issued_at: Math.floor(Number(known?.extra["at"] ?? 0) / 1000),
      expires_at: Math.floor((known?.expiresAt ?? 0) / 1000),
      scopes: known?.scopes ?? [],
      user_id: PROFILES[known?.login ?? ""]?.id ?? "0",
    },
  });
}
