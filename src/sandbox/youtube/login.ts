import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  readForm,
  redeemCode,
  redirect,
  revokeTokensOfLogin,
  type Token,
} from "#sandbox/oauth-server.ts";
import { toBase64Url } from "#core/encoding.ts";
import { CHANNELS, loginsOfSameUser, subjectOf } from "./channels.ts";

/* Google's OAuth flow for web server apps: platforms/youtube.md part 1 (login). */

const CODE_LIFETIME_SECONDS = 600;
const ACCESS_TOKEN_LIFETIME_SECONDS = 3599;
const TESTING_REFRESH_TOKEN_LIFETIME_SECONDS = 604_799;
/** Codes with this prefix also give a refresh token. */
const OFFLINE_CODE_PREFIX = "4/o-";
const ONLINE_CODE_PREFIX = "4/n-";

/** https://developers.google.com/identity/protocols/oauth2/scopes: those of this API and of the login. */
const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  "openid",
  "email",
  "profile",
  ...[
    "userinfo.email",
    "userinfo.profile",
    "youtube",
    "youtube.channel-memberships.creator",
    "youtube.force-ssl",
    "youtube.readonly",
    "youtube.upload",
    "youtubepartner",
    "youtubepartner-channel-audit",
  ].map((name) => `https://www.googleapis.com/auth/${name}`),
]);

const errorPage = (text: string): Response =>
  new Response(`Error 400: ${text}`, { status: 400, headers: { "content-type": "text/plain" } });

/** The authorization page; `untick` in the query leaves scopes out, as a user may. */
export function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const requestedScopes = (query.get("scope") ?? "").split(" ").filter(Boolean);
  if (query.get("client_id") !== sim.app.clientId) {
    return errorPage("invalid_client");
  }
  if (!URL.canParse(redirectUri)) {
    return errorPage("redirect_uri_mismatch");
  }
  if (query.get("response_type") !== "code" || requestedScopes.length === 0) {
    return errorPage("invalid_request");
  }
  const unknown = requestedScopes.filter((scope) => !KNOWN_SCOPES.has(scope));
  if (unknown.length > 0) {
    return errorPage(`invalid_scope: Some requested scopes were invalid. {invalid=[${unknown.join(", ")}]}`);
  }
  const challenge = query.get("code_challenge");
  if (challenge !== null && query.get("code_challenge_method") !== "S256") {
    return errorPage("invalid_request: only S256 is simulated");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Google (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(CHANNELS, login)) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const deselected = new Set((query.get("untick") ?? "").split(" "));
  const scopes = requestedScopes.filter((scope) => !deselected.has(scope));
  const isOffline =
    query.get("access_type") === "offline" && (query.get("prompt") ?? "").split(" ").includes("consent");
  const consent = { login, scopes, redirectUri, challenge };
  return redirect(redirectUri, {
    state,
    code: issueCode(sim, isOffline ? OFFLINE_CODE_PREFIX : ONLINE_CODE_PREFIX, consent, CODE_LIFETIME_SECONDS),
    scope: scopes.join(" "),
  });
}

const invalidGrant = (description: string): Response =>
  Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issueAccessToken(sim: SimulatorContext, { login, scopes, grant }: Grant): JsonObject {
  return {
    access_token: issueToken(
      sim,
      "ya29.",
      { login, scopes, grant, kind: "access", extra: {} },
      ACCESS_TOKEN_LIFETIME_SECONDS,
    ),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_TOKEN_LIFETIME_SECONDS,
    scope: scopes.join(" "),
    token_type: "Bearer",
    ...(scopes.includes("openid") && { id_token: issueIdToken(sim, login) }),
  };
}

const jwtPart = (content: JsonObject): string => toBase64Url(new TextEncoder().encode(JSON.stringify(content)));

/** Not signed with a real key: a client that gets it directly from the token endpoint need not check the signature. */
function issueIdToken(sim: SimulatorContext, login: string): string {
  const issuedAt = Math.floor(sim.now() / 1000);
  const claims = {
    iss: "https://accounts.google.com",
    azp: sim.app.clientId,
    aud: sim.app.clientId,
    sub: subjectOf(sim, login),
    iat: issuedAt,
    exp: issuedAt + 3600,
  };
  const signature = toBase64Url(new TextEncoder().encode(sim.newSecret("")));
  return `${jwtPart({ alg: "RS256", kid: "sandbox", typ: "JWT" })}.${jwtPart(claims)}.${signature}`;
}

/** A refresh token is valid until it is revoked, unless the app is in its testing phase. */
function issueRefreshToken(sim: SimulatorContext, { login, scopes, grant }: Grant): JsonObject {
  const seconds = sim.settings.extra["testing"] === true ? TESTING_REFRESH_TOKEN_LIFETIME_SECONDS : null;
  return {
    refresh_token: issueToken(sim, "1//0", { login, scopes, grant, kind: "refresh", extra: {} }, seconds),
    ...(seconds !== null && { refresh_token_expires_in: seconds }),
  };
}

export async function tokenEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readForm(request);
  if (form.get("client_id") !== sim.app.clientId) {
    return Response.json(
      { error: "invalid_client", error_description: "The OAuth client was not found." },
      { status: 401 },
    );
  }
  if (form.get("client_secret") !== sim.app.clientSecret) {
    return Response.json({ error: "invalid_client", error_description: "Unauthorized" }, { status: 401 });
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const secret = form.get("code") ?? "";
      const code = await redeemCode(sim, secret, form.get("redirect_uri") ?? "", form.get("code_verifier"));
      if (!code) {
        return invalidGrant("Malformed auth code.");
      }
      const grant = { login: code.login, scopes: code.scopes, grant: sim.newId(12) };
      return Response.json({
        ...issueAccessToken(sim, grant),
        ...(secret.startsWith(OFFLINE_CODE_PREFIX) && issueRefreshToken(sim, grant)),
      });
    }
    case "refresh_token": {
      const token = findValidToken(sim, form.get("refresh_token") ?? "", "refresh");
      return token ? Response.json(issueAccessToken(sim, token)) : invalidGrant("Token has been expired or revoked.");
    }
    default:
      return Response.json({ error: "unsupported_grant_type" }, { status: 400 });
  }
}

/** Ends every token of the Google user for this project, for all channels. */
export function revokeTokensOfUser(sim: SimulatorContext, login: string): boolean {
  return loginsOfSameUser(sim, login)
    .map((other) => revokeTokensOfLogin(sim, other))
    .includes(true);
}

/** Revokes the user's grant, not only the given token. */
export async function revokeEndpoint(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const secret = (await readForm(request)).get("token") ?? url.searchParams.get("token") ?? "";
  const token = findValidToken(sim, secret, "access") ?? findValidToken(sim, secret, "refresh");
  if (!token) {
    return Response.json({ error: "invalid_token" }, { status: 400 });
  }
  revokeTokensOfUser(sim, token.login);
  return Response.json({});
}
