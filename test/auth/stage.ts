import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash, randomBytes } from "node:crypto";
import { startSession } from "#auth/index.ts";
import type { Scope } from "#core/scope.ts";
import type { Outbound } from "#context.ts";
import { createService } from "#service.ts";
import { house, type House, person, silentWorld } from "./test-context.ts";

export const ORIGIN = env.ORIGIN;

/** The whole service with settings and a world of this test alone. */
export interface Stage {
  readonly services: House;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export function stage(settings: Record<string, unknown> = {}, outbound: Outbound = silentWorld): Stage {
  const service = createService(() => outbound);
  return {
    services: house(settings, outbound),
    async fetch(path, init) {
      const ctx = createExecutionContext();
      const request = new Request(new URL(path, ORIGIN), { redirect: "manual", ...init });
      const response = await service.fetch(request, { ...env, ...settings }, ctx);
      await waitOnExecutionContext(ctx);
      return response;
    },
  };
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

export function form(fields: Fields): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of value === undefined ? [] : typeof value === "string" ? [value] : value) {
      params.append(name, one);
    }
  }
  return params;
}

/** An address of its own, so that limits per address never reach from one test into another. */
export function address(): string {
  return [10, ...randomBytes(3)].join(".");
}

/** A browser: keeps the session cookie, says where its forms come from. */
export class Browser {
  readonly address = address();
  session: string | undefined;
  readonly #stage: Stage;

  constructor(on: Stage) {
    this.#stage = on;
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", this.address);
    if (this.session !== undefined) {
      headers.set("cookie", `__Host-session=${this.session}`);
    }
    const response = await this.#stage.fetch(path, { ...init, headers });
    const cookie = /^__Host-session=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
    if (cookie !== undefined) {
      this.session = cookie === "" ? undefined : cookie;
    }
    return response;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(path, { headers });
  }

  post(path: string, fields: Fields = {}, headers: Record<string, string> = { origin: ORIGIN }): Promise<Response> {
    return this.#send(path, { method: "POST", body: form(fields), headers });
  }
}

/** A browser in which a fresh user is signed in. */
export async function signedIn(on: Stage, input: Parameters<typeof person>[1] = {}) {
  const user = await person(on.services, input);
  const browser = new Browser(on);
  browser.session = await startSession(on.services, { userId: user.userId });
  return { ...user, browser };
}

export const CALLBACK = "https://app.example/callback";

export interface App {
  readonly id: string;
  readonly secret: string | undefined;
}

export async function registerApp(on: Stage, metadata: Record<string, unknown> = {}): Promise<App> {
  const response = await on.fetch("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": address() },
    body: JSON.stringify({
      client_name: "An agent",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      ...metadata,
    }),
  });
  const { client_id: id, client_secret: secret } = await response.json<{ client_id: string; client_secret?: string }>();
  return { id, secret };
}

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function proof(): Proof {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export function authorizePath(clientId: string, challenge: string, more: Fields = {}): string {
  const query = form({
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    state: "st at/e",
    scope: "posts:read posts:write",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  });
  return `/oauth/authorize?${query.toString()}`;
}

export async function sealOf(response: Response): Promise<string> {
  return /name="seal" value="([0-9a-f]+)"/.exec(await response.text())?.[1] ?? "";
}

/** Opens the consent page and decides; returns where the browser is sent. */
export async function decide(browser: Browser, path: string, fields: Fields): Promise<URL> {
  const seal = await sealOf(await browser.get(path));
  const response = await browser.post(path, { seal, ...fields });
  return new URL(response.headers.get("location") ?? "about:blank");
}

export function tokenCall(on: Stage, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  return on.fetch("/oauth/token", { method: "POST", body: form(fields), headers });
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly token_type: string;
}

/** A person who consented to an app: the code is not spent yet. */
export async function consented(on: Stage, more: { app?: App; scopes?: readonly Scope[]; query?: Fields } = {}) {
  const owner = await signedIn(on);
  const app = more.app ?? (await registerApp(on));
  const { verifier, challenge } = proof();
  const scopes = more.scopes ?? ["posts:read", "posts:write"];
  const path = authorizePath(app.id, challenge, { scope: scopes.join(" "), ...more.query });
  const location = await decide(owner.browser, path, { decision: "allow", scope: scopes });
  const code = location.searchParams.get("code") ?? "";
  const redemption = {
    grant_type: "authorization_code",
    client_id: app.id,
    client_secret: app.secret,
    code,
    code_verifier: verifier,
    redirect_uri: location.href.split("?")[0],
  };
  return { ...owner, app, code, verifier, redemption };
}

/** The same with tokens in hand. */
export async function letIn(on: Stage, more: Parameters<typeof consented>[1] = {}) {
  const owner = await consented(on, more);
  const response = await tokenCall(on, owner.redemption);
  return { ...owner, tokens: await response.json<Tokens>() };
}

export function api(on: Stage, token: string, path = "/posts"): Promise<Response> {
  return on.fetch(`/v1${path}`, { headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": address() } });
}

export async function errorOf(response: Response): Promise<string> {
  return (await response.json<{ error: string }>()).error;
}
