import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash, randomBytes } from "node:crypto";
import { startSession } from "#auth/index.ts";
import type { Confirms } from "#core/actor.ts";
import type { Scope } from "#core/scope.ts";
import type { Outbound } from "#context.ts";
import { createService } from "#service.ts";
import { createTestContext, type TestContext, createTestUser, unreachableOutbound } from "./test-context.ts";

export const ORIGIN = env.ORIGIN;

/** The whole service, with settings and outbound fetches of one test. */
export interface ServiceFixture {
  readonly services: TestContext;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export function createServiceFixture(
  settings: Record<string, unknown> = {},
  outbound: Outbound = unreachableOutbound,
): ServiceFixture {
  const worker = createService(() => outbound);
  return {
    services: createTestContext(settings, outbound),
    async fetch(path, init) {
      const ctx = createExecutionContext();
      const request = new Request(new URL(path, ORIGIN), { redirect: "manual", ...init });
      const response = await worker.fetch(request, { ...env, ...settings }, ctx);
      await waitOnExecutionContext(ctx);
      return response;
    },
  };
}

type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export function formBody(fields: FormFields): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of value === undefined ? [] : typeof value === "string" ? [value] : value) {
      params.append(name, item);
    }
  }
  return params;
}

/** A random IP address, so that the rate limits of one test do not affect another. */
export function uniqueIpAddress(): string {
  return [10, ...randomBytes(3)].join(".");
}

/** Behaves like a browser: stores the session cookie and sends the Origin header with forms. */
export class BrowserClient {
  readonly address = uniqueIpAddress();
  session: string | undefined;
  readonly #service: ServiceFixture;

  constructor(service: ServiceFixture) {
    this.#service = service;
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", this.address);
    if (this.session !== undefined) {
      headers.set("cookie", `__Host-session=${this.session}`);
    }
    const response = await this.#service.fetch(path, { ...init, headers });
    const cookie = /^__Host-session=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
    if (cookie !== undefined) {
      this.session = cookie === "" ? undefined : cookie;
    }
    return response;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(path, { headers });
  }

  post(path: string, fields: FormFields = {}, headers: Record<string, string> = { origin: ORIGIN }): Promise<Response> {
    return this.#send(path, { method: "POST", body: formBody(fields), headers });
  }
}

/** Creates a user and a browser in which this user is signed in. */
export async function signInNewUser(service: ServiceFixture, input: Parameters<typeof createTestUser>[1] = {}) {
  const user = await createTestUser(service.services, input);
  const browser = new BrowserClient(service);
  browser.session = await startSession(service.services, { userId: user.userId });
  return { ...user, browser };
}

export const CALLBACK = "https://app.example/callback";

export interface RegisteredClient {
  readonly id: string;
  readonly secret: string | undefined;
}

export async function registerClient(
  service: ServiceFixture,
  metadata: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  const response = await service.fetch("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": uniqueIpAddress() },
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

export interface PkcePair {
  readonly verifier: string;
  readonly challenge: string;
}

export function createPkcePair(): PkcePair {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export function authorizePath(clientId: string, challenge: string, more: FormFields = {}): string {
  const query = formBody({
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

export async function csrfTokenOf(response: Response): Promise<string> {
  return /name="csrf_token" value="([0-9a-f]+)"/.exec(await response.text())?.[1] ?? "";
}

/** Opens the consent page and submits a decision; returns the URL of the redirect. */
export async function submitConsent(browser: BrowserClient, path: string, fields: FormFields): Promise<URL> {
  const token = await csrfTokenOf(await browser.get(path));
  const response = await browser.post(path, { csrf_token: token, ...fields });
  return new URL(response.headers.get("location") ?? "about:blank");
}

export function requestToken(
  service: ServiceFixture,
  fields: FormFields,
  headers: Record<string, string> = {},
): Promise<Response> {
  return service.fetch("/oauth/token", { method: "POST", body: formBody(fields), headers });
}

export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly token_type: string;
}

/** A user who consented to an app, with the unused authorization code. */
export async function obtainCode(
  service: ServiceFixture,
  more: { app?: RegisteredClient; scopes?: readonly Scope[]; query?: FormFields; confirms?: Confirms } = {},
) {
  const owner = await signInNewUser(service);
  const app = more.app ?? (await registerClient(service));
  const { verifier, challenge } = createPkcePair();
  const scopes = more.scopes ?? ["posts:read", "posts:write"];
  const path = authorizePath(app.id, challenge, { scope: scopes.join(" "), ...more.query });
  const location = await submitConsent(owner.browser, path, {
    decision: "allow",
    scope: scopes,
    confirms: more.confirms,
  });
  const code = location.searchParams.get("code") ?? "";
  const tokenRequest = {
    grant_type: "authorization_code",
    client_id: app.id,
    client_secret: app.secret,
    code,
    code_verifier: verifier,
    redirect_uri: location.href.split("?")[0],
  };
  return { ...owner, app, code, verifier, tokenRequest };
}

/** A user who consented to an app, with its tokens. */
export async function obtainTokens(service: ServiceFixture, more: Parameters<typeof obtainCode>[1] = {}) {
  const owner = await obtainCode(service, more);
  const response = await requestToken(service, owner.tokenRequest);
  return { ...owner, tokens: await response.json<TokenResponse>() };
}

export function callApi(service: ServiceFixture, token: string, path = "/posts"): Promise<Response> {
  return service.fetch(`/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": uniqueIpAddress() },
  });
}

export async function errorCodeOf(response: Response): Promise<string> {
  return (await response.json<{ error: string }>()).error;
}
