import type { Sim, SimLogin } from "#sandbox/contract.ts";
import {
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
import { logId } from "./answers.ts";
import { CREATORS } from "./creators.ts";
import { withdraw } from "./publishes.ts";

/* Login Kit for Web: platforms/tiktok.md part 1. */

const CODE_SECONDS = 600;
const LIFETIMES = { access: 7200, refresh: 15_552_000 };
/** What the documents said before November 2026. */
const OLD_LIFETIMES = { access: 86_400, refresh: 31_536_000 };

/** The browser's side; `untick` in the query leaves scopes out, as a person may. */
export function authorize(url: URL, sim: Sim, logins: readonly SimLogin[]): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  const target = URL.parse(redirectUri);
  if (query.get("client_key") !== sim.app.clientId || query.get("response_type") !== "code") {
    return new Response("client_key or response_type is wrong", { status: 400 });
  }
  if (!target || target.search !== "" || target.hash !== "") {
    return new Response("redirect_uri must be absolute, without a query and without a fragment", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("TikTok (sandbox)", url, logins);
  }
  const state = query.get("state") ?? "";
  if (!Object.hasOwn(CREATORS, login)) {
    return redirect(redirectUri, { error: "access_denied", error_description: "The user denied the request", state });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const scopes = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "" && !unticked.has(scope));
  const code = issueCode(sim, "co*", { login, scopes, redirectUri, challenge: null }, CODE_SECONDS);
  // Codes hold characters that a browser escapes.
  return redirect(redirectUri, { code: `${code}!`, scopes: scopes.join(","), state });
}

/** OAuth problems may come with the status of a success. */
function problem(sim: Sim, status: number, error: string, description: string): Response {
  const softly = sim.settings.extra["errors_as_200"] === true;
  return Response.json(
    { error, error_description: description, log_id: logId(sim) },
    { status: softly ? 200 : status },
  );
}

/** The form of an app that proved itself, or the refusal. */
async function appForm(request: Request, sim: Sim): Promise<URLSearchParams | Response> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
    return problem(
      sim,
      400,
      "invalid_request",
      "Only `application/x-www-form-urlencoded` is supported as Content-Type.",
    );
  }
  const form = await readForm(request);
  return form.get("client_key") === sim.app.clientId && form.get("client_secret") === sim.app.clientSecret
    ? form
    : problem(sim, 401, "invalid_client", "Client key or secret is incorrect.");
}

type Grant = Pick<Token, "login" | "scopes" | "grant">;

function issue(sim: Sim, { login, scopes, grant }: Grant): Response {
  const lifetimes = sim.settings.extra["old_lifetimes"] === true ? OLD_LIFETIMES : LIFETIMES;
  const held = { login, scopes, grant, extra: {} };
  return Response.json({
    open_id: CREATORS[login]?.openId,
    scope: scopes.join(","),
    access_token: issueToken(sim, "act.", { ...held, kind: "access" }, lifetimes.access),
    expires_in: sim.settings.token_lifetime_s ?? lifetimes.access,
    refresh_token: issueToken(sim, "rft.", { ...held, kind: "refresh" }, lifetimes.refresh),
    refresh_expires_in: lifetimes.refresh,
    token_type: "Bearer",
  });
}

export async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await appForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const secret = (form.get("code") ?? "").replace(/!$/, "");
      const code = await redeemCode(sim, secret, form.get("redirect_uri") ?? "", null);
      return code
        ? issue(sim, { login: code.login, scopes: code.scopes, grant: sim.id(12) })
        : problem(sim, 400, "invalid_grant", "Authorization code is expired.");
    }
    case "refresh_token": {
      const secret = form.get("refresh_token") ?? "";
      const held = liveToken(sim, secret, "refresh");
      if (!held) {
        return problem(sim, 400, "invalid_grant", "Refresh token is invalid or expired.");
      }
      spendToken(sim, secret);
      return issue(sim, held);
    }
    default:
      return problem(sim, 400, "unsupported_grant_type", "Unsupported grant_type.");
  }
}

/** The app leaves the person's list of connected apps: everything of that login dies. */
export async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await appForm(request, sim);
  if (form instanceof Response) {
    return form;
  }
  const held = liveToken(sim, form.get("token") ?? "", "access");
  if (!held) {
    return problem(sim, 400, "invalid_request", "The token is not valid.");
  }
  withdraw(sim, held.login);
  return Response.json({});
}
