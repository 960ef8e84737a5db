import type { SimulatorContext, SimulatorLogin } from "#sandbox/contract.ts";
import {
  basicAuth,
  consentPage,
  issueCode,
  issueToken,
  findValidToken,
  readForm,
  redeemCode,
  redirect,
  revokeTokensOfGrant,
  revokeToken,
  type Token,
} from "#sandbox/oauth-server.ts";
import { toBase64Url } from "#core/encoding.ts";
import { TEST_USERS } from "./test-users.ts";

/* OAuth 2.0 with PKCE: platforms/x.md part 1 (login). */

const CODE_LIFETIME_SECONDS = 30;
const ACCESS_TOKEN_LIFETIME_SECONDS = 7200;
const REFRESH_TOKEN_LIFETIME_SECONDS = 180 * 24 * 3600;
const MAX_STATE_LENGTH = 500;

const SCOPES = new Set(
  `tweet.read tweet.write tweet.moderate.write users.email users.read follows.read follows.write offline.access space.read
   mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read bookmark.write
   dm.read dm.write media.write`.split(/\s+/),
);

const errorPage = (text: string): Response =>
  new Response(`Something went wrong: ${text}`, { status: 400, headers: { "content-type": "text/plain" } });

/** The authorization page: `login=<name>` in the query consents at once; without it the page lists the logins. */
export async function authorize(url: URL, sim: SimulatorContext, logins: readonly SimulatorLogin[]): Promise<Response> {
  const query = url.searchParams;
  const param = (name: string): string => query.get(name) ?? "";
  const scopes = param("scope").split(" ").filter(Boolean);
  if (param("client_id") !== sim.app.clientId) {
    return errorPage("You weren't able to give access to the App: unknown client_id");
  }
  if (!/^https?:$/.test(URL.parse(param("redirect_uri"))?.protocol ?? "")) {
    return errorPage("redirect_uri is not registered");
  }
  if (param("response_type") !== "code" || scopes.length === 0 || !scopes.every((scope) => SCOPES.has(scope))) {
    return errorPage("response_type must be code, and scope a list of known scopes");
  }
  if (param("state") === "" || param("state").length > MAX_STATE_LENGTH) {
    return errorPage(`state must have 1 to ${MAX_STATE_LENGTH} characters`);
  }
  if (param("code_challenge") === "" || !["S256", "plain"].includes(param("code_challenge_method"))) {
    return errorPage("PKCE is required: code_challenge and code_challenge_method");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Authorize app (sandbox)", url, logins);
  }
  if (!Object.hasOwn(TEST_USERS, login)) {
    return redirect(param("redirect_uri"), { error: "access_denied", state: param("state") });
  }
  const requestedChallenge = param("code_challenge");
  const challenge =
    param("code_challenge_method") === "S256" ? requestedChallenge : await s256Challenge(requestedChallenge);
  const code = issueCode(
    sim,
    "",
    { login, scopes, redirectUri: param("redirect_uri"), challenge },
    CODE_LIFETIME_SECONDS,
  );
  return redirect(param("redirect_uri"), { state: param("state"), code });
}

/** The S256 challenge of a verifier. A plain challenge is also stored in this form, so that one comparison is enough for both. */
async function s256Challenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

const oauthError = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status });

const invalidToken = (): Response => oauthError(400, "invalid_request", "Value passed for the token was invalid.");

/** The form of an authenticated client, or the error response. */
async function readAuthenticatedForm(request: Request, sim: SimulatorContext): Promise<URLSearchParams | Response> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return oauthError(400, "invalid_request", "The content type must be application/x-www-form-urlencoded.");
  }
  const form = await readForm(request);
  const client = basicAuth(request);
  if (!client) {
    return oauthError(401, "unauthorized_client", "Missing valid authorization header");
  }
  return client.id === sim.app.clientId && client.secret === sim.app.clientSecret
    ? form
    : oauthError(401, "invalid_client", "Client authentication failed");
}

export async function tokenEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const verifier = form.get("code_verifier") ?? "";
      const isValidLength = verifier.length >= 43 && verifier.length <= 128;
      const code = form.get("code") ?? "";
      const consent = isValidLength ? await redeemCode(sim, code, form.get("redirect_uri") ?? "", verifier) : undefined;
      return consent
        ? issueTokens(sim, { login: consent.login, scopes: consent.scopes, grant: sim.newId(18), extra: {} })
        : oauthError(400, "invalid_request", "Value passed for the authorization code was invalid.");
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const token = findValidToken(sim, secret, "refresh");
      if (!token) {
        return invalidToken();
      }
      revokeToken(sim, secret);
      return issueTokens(sim, token);
    }
    default:
      return oauthError(400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}

type Grant = Pick<Token, "login" | "scopes" | "grant" | "extra">;

function issueTokens(sim: SimulatorContext, { login, scopes, grant, extra }: Grant): Response {
  const claims = { login, scopes, grant, extra };
  return Response.json({
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_TOKEN_LIFETIME_SECONDS,
    access_token: issueToken(sim, "", { ...claims, kind: "access" }, ACCESS_TOKEN_LIFETIME_SECONDS),
    scope: scopes.join(" "),
    ...(scopes.includes("offline.access") && {
      refresh_token: issueToken(sim, "", { ...claims, kind: "refresh" }, REFRESH_TOKEN_LIFETIME_SECONDS),
    }),
  });
}

/** Revoking a refresh token revokes the whole grant, revoking an access token only that token. */
export async function revokeEndpoint(request: Request, sim: SimulatorContext): Promise<Response> {
  const form = await readAuthenticatedForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const secret = form.get("token") ?? "";
  const token = findValidToken(sim, secret, "refresh");
  if (token) {
    revokeTokensOfGrant(sim, token.grant);
  } else {
    revokeToken(sim, secret);
  }
  return Response.json({ revoked: true });
}
