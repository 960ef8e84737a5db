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
  revokeGrant,
  spendToken,
  type Token,
} from "#sandbox/grants.ts";
import { toBase64Url } from "#core/encoding.ts";
import { PEOPLE } from "./people.ts";

/* OAuth 2.0 with PKCE: platforms/x.md part 1. */

const CODE_SECONDS = 30;
const ACCESS_SECONDS = 7200;
const REFRESH_SECONDS = 180 * 24 * 3600;
const STATE_MAX = 500;

const SCOPES = new Set(
  `tweet.read tweet.write tweet.moderate.write users.email users.read follows.read follows.write offline.access space.read
   mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read bookmark.write
   dm.read dm.write media.write`.split(/\s+/),
);

const page = (text: string): Response =>
  new Response(`Something went wrong: ${text}`, { status: 400, headers: { "content-type": "text/plain" } });

/** The browser's side: `login=<name>` consents at once, without it the page asks who to be. */
export async function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Promise<Response> {
  const query = url.searchParams;
  const value = (name: string): string => query.get(name) ?? "";
  const scopes = value("scope").split(" ").filter(Boolean);
  if (value("client_id") !== sim.app.clientId) {
    return page("You weren't able to give access to the App: unknown client_id");
  }
  if (!/^https?:$/.test(URL.parse(value("redirect_uri"))?.protocol ?? "")) {
    return page("redirect_uri is not registered");
  }
  if (value("response_type") !== "code" || scopes.length === 0 || !scopes.every((scope) => SCOPES.has(scope))) {
    return page("response_type must be code, and scope a list of known scopes");
  }
  if (value("state") === "" || value("state").length > STATE_MAX) {
    return page(`state must have 1 to ${STATE_MAX} characters`);
  }
  if (value("code_challenge") === "" || !["S256", "plain"].includes(value("code_challenge_method"))) {
    return page("PKCE is required: code_challenge and code_challenge_method");
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Authorize app (sandbox)", url, logins);
  }
  if (!Object.hasOwn(PEOPLE, login)) {
    return redirect(value("redirect_uri"), { error: "access_denied", state: value("state") });
  }
  const given = value("code_challenge");
  const challenge = value("code_challenge_method") === "S256" ? given : await hashed(given);
  const code = issueCode(sim, "", { login, scopes, redirectUri: value("redirect_uri"), challenge }, CODE_SECONDS);
  return redirect(value("redirect_uri"), { state: value("state"), code });
}

/** What S256 makes of a verifier; a plain challenge is kept like this too, so that both are compared alike. */
async function hashed(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

const refusal = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status });

const invalidToken = (): Response => refusal(400, "invalid_request", "Value passed for the token was invalid.");

/** The form of a token call by a client that has proved itself, or the refusal. */
async function clientForm(request: Request, sim: Sim): Promise<URLSearchParams | Response> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return refusal(400, "invalid_request", "The content type must be application/x-www-form-urlencoded.");
  }
  const form = await readForm(request);
  const client = basicAuth(request);
  if (!client) {
    return refusal(401, "unauthorized_client", "Missing valid authorization header");
  }
  return client.id === sim.app.clientId && client.secret === sim.app.clientSecret
    ? form
    : refusal(401, "invalid_client", "Client authentication failed");
}

export async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await clientForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const verifier = form.get("code_verifier") ?? "";
      const fits = verifier.length >= 43 && verifier.length <= 128;
      const code = form.get("code") ?? "";
      const consent = fits ? await redeemCode(sim, code, form.get("redirect_uri") ?? "", verifier) : undefined;
      return consent
        ? issue(sim, { login: consent.login, scopes: consent.scopes, grant: sim.id(18), extra: {} })
        : refusal(400, "invalid_request", "Value passed for the authorization code was invalid.");
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const held = liveToken(sim, secret, "refresh");
      if (!held) {
        return invalidToken();
      }
      spendToken(sim, secret);
      return issue(sim, held);
    }
    default:
      return refusal(400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}

type Grant = Pick<Token, "login" | "scopes" | "grant" | "extra">;

function issue(sim: Sim, { login, scopes, grant, extra }: Grant): Response {
  const held = { login, scopes, grant, extra };
  return Response.json({
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
    access_token: issueToken(sim, "", { ...held, kind: "access" }, ACCESS_SECONDS),
    scope: scopes.join(" "),
    ...(scopes.includes("offline.access") && {
      refresh_token: issueToken(sim, "", { ...held, kind: "refresh" }, REFRESH_SECONDS),
    }),
  });
}

/** A refresh token takes the whole grant with it, an access token only itself. */
export async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await clientForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const secret = form.get("token") ?? "";
  const held = liveToken(sim, secret, "refresh");
  if (held) {
    revokeGrant(sim, held.grant);
  } else {
    spendToken(sim, secret);
  }
  return Response.json({ revoked: true });
}
