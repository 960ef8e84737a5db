import { DAY } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { type AuthenticatedForm, withAuthenticatedForm } from "./client-authentication.ts";
import { dpopChallenge, invalidGrant, oauthError } from "./responses.ts";
import { s256, takeOnce } from "./jwt.ts";
import { type AuthorizationCode, codeKey, randomHex } from "./login.ts";
import { accountStatus, findUserByName, pdsOf, TEST_USERS, type TestUser } from "./test-users.ts";
import { endOauthSession, findAccessToken, issueAccessToken, type OauthSession, oauthSessionKey } from "./tokens.ts";

/* Code exchange, refresh and revocation (section 1.3, rules 9 to 11; op/oauth-provider.ts, op/oauth-constants.ts). */

const MIN_VERIFIER_LENGTH = 43;
const CHALLENGE_LIFETIME_SECONDS = 86_400;
/** How long (ms) a refresh token and a whole session last. */
const LIFETIMES_MS = {
  public: { refresh: 14 * DAY, session: 14 * DAY },
  confidential: { refresh: 90 * DAY, session: 730 * DAY },
} as const;

type RefreshToken = { readonly session: string; readonly used: boolean; readonly expiresAt: number };

const refreshKey = (token: string): string => `refresh:${token}`;
const lifetimesOf = (authJkt: string | null) => LIFETIMES_MS[authJkt === null ? "public" : "confidential"];

function invalidKeyBinding(): Response {
  const response = oauthError(401, "invalid_token", "Invalid DPoP key binding");
  response.headers.set("www-authenticate", dpopChallenge("invalid_token", "Invalid DPoP key binding"));
  return response;
}

/**
 * Issues an access token and a refresh token for a session. The setting `token_response` makes the answer wrong (rule
 * 8).
 */
function issueTokens(
  sim: SimulatorContext,
  user: TestUser,
  id: string,
  session: Omit<OauthSession, "access">,
  canRefresh: boolean,
): Response {
  const access = issueAccessToken(sim, user, {
    kind: "oauth",
    session: id,
    scopes: session.scopes,
    dpopJkt: session.dpopJkt,
  });
  const stored: OauthSession = { ...session, access: access.secret };
  sim.store.put(oauthSessionKey(id), stored);
  const refresh = `ref-${randomHex(32)}`;
  const record: RefreshToken = {
    session: id,
    used: false,
    expiresAt: Math.min(sim.now() + lifetimesOf(session.authJkt).refresh, session.endsAt),
  };
  sim.store.put(refreshKey(refresh), record);
  const mode = sim.settings.extra["token_response"];
  const other = Object.values(TEST_USERS).find(({ name }) => name !== user.name);
  return Response.json(
    {
      access_token: access.token,
      token_type: mode === "bearer" ? "Bearer" : "DPoP",
      ...(canRefresh && { refresh_token: refresh }),
      scope: mode === "no_atproto" ? "transition:email" : session.scopes.join(" "),
      expires_in: access.expiresInSeconds,
      sub: mode === "other_sub" ? (other?.did ?? "") : user.did,
    },
    { headers: { "cache-control": "no-store" } },
  );
}

/** Why a code gives no tokens. */
function findCodeProblem(
  sim: SimulatorContext,
  code: AuthorizationCode,
  { client, authJkt, dpopJkt, field }: AuthenticatedForm,
  challenge: string,
): string | null {
  if (code.clientId !== client.id) {
    return "Invalid code";
  }
  if (code.expiresAt <= sim.now()) {
    return "This code has expired";
  }
  if (code.redirectUri !== field("redirect_uri")) {
    return "The redirect_uri parameter must match the one used in the authorization request";
  }
  if (field("code_verifier").length < MIN_VERIFIER_LENGTH || code.challenge !== challenge) {
    return "Invalid code_verifier";
  }
  if (code.dpopJkt !== null && code.dpopJkt !== dpopJkt) {
    return "DPoP proof does not match the expected JKT";
  }
  if (code.authJkt !== authJkt) {
    return "The session was initiated with a different key than the client assertion currently used";
  }
  return takeOnce(sim, `challenge:${challenge}`, CHALLENGE_LIFETIME_SECONDS) ? null : "Code challenge already used";
}

/**
 * Exchanges a code. This uses up the code even if it fails, and a replay ends the session that came from it (rule 9).
 */
async function exchangeCode(sim: SimulatorContext, host: string, form: AuthenticatedForm): Promise<Response> {
  const challenge = await s256(form.field("code_verifier"));
  const key = codeKey(form.field("code"));
  const code = sim.store.get<AuthorizationCode>(key);
  if (code?.issuer !== host || form.dpopJkt === null) {
    return invalidGrant("Invalid code");
  }
  if (code.burnt) {
    if (code.session !== null) {
      endOauthSession(sim, code.session);
    }
    return invalidGrant("Invalid code");
  }
  const user = findUserByName(code.login);
  const problem = findCodeProblem(sim, code, form, challenge);
  if (problem !== null || !user) {
    sim.store.put(key, { ...code, burnt: true });
    return invalidGrant(problem ?? "Invalid code");
  }
  const id = sim.newId(16);
  sim.store.put(key, { ...code, burnt: true, session: id });
  const session = {
    login: user.name,
    issuer: host,
    clientId: form.client.id,
    authJkt: form.authJkt,
    dpopJkt: form.dpopJkt,
    scopes: code.scopes,
    endsAt: sim.now() + lifetimesOf(form.authJkt).session,
    ended: false,
  };
  return issueTokens(sim, user, id, session, form.client.grantTypes.includes("refresh_token"));
}

/** Refreshes tokens. A refresh token works once, and a replay ends the whole session (rule 10). */
function refresh(
  sim: SimulatorContext,
  host: string,
  { client, authJkt, dpopJkt, field }: AuthenticatedForm,
): Response {
  const key = refreshKey(field("refresh_token"));
  const token = sim.store.get<RefreshToken>(key);
  const session = token && sim.store.get<OauthSession>(oauthSessionKey(token.session));
  const user = findUserByName(session?.login ?? "");
  if (!token || !session || !user || session.ended || session.issuer !== host || session.clientId !== client.id) {
    return invalidGrant("Invalid refresh token");
  }
  if (token.used) {
    endOauthSession(sim, token.session);
    return invalidGrant("Refresh token replayed");
  }
  if (session.dpopJkt !== dpopJkt) {
    return invalidKeyBinding();
  }
  if (session.authJkt !== authJkt) {
    return invalidGrant("The session was initiated with a different key than the client assertion currently used");
  }
  if (session.endsAt <= sim.now()) {
    return invalidGrant("Session expired");
  }
  if (token.expiresAt <= sim.now()) {
    return invalidGrant("Refresh token expired");
  }
  // The account has moved to another server, or its host has taken it down.
  if (pdsOf(sim, user).authorizationServer !== host || accountStatus(sim) !== null) {
    return invalidGrant("This account has been deactivated");
  }
  sim.store.put(key, { ...token, used: true });
  return issueTokens(sim, user, token.session, session, true);
}

/** Handles `POST /oauth/token`. */
export function tokenEndpoint(request: Request, sim: SimulatorContext, host: string): Promise<Response> {
  return withAuthenticatedForm(request, sim, (form) => {
    switch (form.field("grant_type")) {
      case "authorization_code":
        return exchangeCode(sim, host, form);
      case "refresh_token":
        return refresh(sim, host, form);
      default:
        return oauthError(400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
    }
  });
}

/** Handles `POST /oauth/revoke`, which succeeds for an unknown token too. */
export function revokeEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  return withAuthenticatedForm(request, sim, ({ client, field }) => {
    const token = field("token");
    const id =
      sim.store.get<RefreshToken>(refreshKey(token))?.session ?? findAccessToken(sim, token)?.record.session ?? "";
    if (sim.store.get<OauthSession>(oauthSessionKey(id))?.clientId === client.id) {
      endOauthSession(sim, id);
    }
    return Response.json({});
  });
}
