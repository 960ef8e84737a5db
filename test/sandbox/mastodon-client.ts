import { toBase64Url } from "#core/encoding.ts";
import { callPlatform, codeFromRedirect } from "./call-platform.ts";
import { sampleBytes } from "./sandbox-api.ts";

/* A user who has authorized an app at an instance, over plain HTTP as Mastodon's documents describe it. */

export const HOST = "mastodon.example";
export const REDIRECT = "http://localhost:8787/connect/mastodon/callback";
export const SCOPES = "profile read:statuses write:statuses write:media";
const SCOPES_42 = "read:accounts read:statuses write:statuses write:media";
const VERIFIER = "v".repeat(64);
const USER_AGENT = "almanac-test/1.0";

export type Fields = Record<string, unknown>;

/** A request as a client sends it; an object becomes JSON. */
export function request(
  host: string,
  method: string,
  path: string,
  { body, headers }: { body?: Fields | FormData | URLSearchParams | undefined; headers?: Record<string, string> } = {},
): Promise<Response> {
  const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof URLSearchParams);
  return callPlatform(`https://${host}${path}`, {
    method,
    headers: {
      accept: "application/json",
      "user-agent": USER_AGENT,
      ...(isJson && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
}

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

const scopesOf = (host: string): string => (host === "old.mastodon.example" ? SCOPES_42 : SCOPES);

export const register = (host: string, overrides: Fields = {}): Promise<Response> =>
  request(host, "POST", "/api/v1/apps", {
    body: {
      client_name: "Almanac",
      redirect_uris: REDIRECT,
      scopes: scopesOf(host),
      website: "https://almanac.example",
      ...overrides,
    },
  });

export async function registerApp(host = HOST, overrides: Fields = {}): Promise<App> {
  return (await register(host, overrides)).json<App>();
}

async function s256Challenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** The browser at the authorize page, without a user agent's other headers; null leaves a parameter out. */
export async function authorize(
  host: string,
  app: App,
  overrides: Record<string, string | null> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const query = {
    response_type: "code",
    client_id: app.client_id,
    redirect_uri: REDIRECT,
    scope: scopesOf(host),
    state: "s1",
    code_challenge: await s256Challenge(VERIFIER),
    code_challenge_method: "S256",
    force_login: "true",
    login: "ada",
    ...overrides,
  };
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return callPlatform(`https://${host}/oauth/authorize?${search.toString()}`, { headers });
}

export async function requestCode(
  host: string,
  app: App,
  overrides: Record<string, string | null> = {},
): Promise<string> {
  return codeFromRedirect(await authorize(host, app, overrides));
}

export const codeGrant = (app: App, code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

export const requestToken = (host: string, form: Record<string, string>): Promise<Response> =>
  request(host, "POST", "/oauth/token", { body: new URLSearchParams(form) });

export async function logIn(host: string, app: App, login: string, scope = scopesOf(host)): Promise<string> {
  const response = await requestToken(host, codeGrant(app, await requestCode(host, app, { login, scope })));
  return (await response.json<{ access_token: string }>()).access_token;
}

export interface Attachment {
  readonly id: string;
  readonly type: string;
  readonly url: string | null;
}

export async function mediaForm(
  name: string,
  type: string,
  fields: Record<string, string> = {},
  bytes?: Uint8Array<ArrayBuffer>,
): Promise<FormData> {
  const form = new FormData();
  form.set("file", new File([bytes ?? (await sampleBytes(name))], name, { type }));
  for (const [field, value] of Object.entries(fields)) {
    form.set(field, value);
  }
  return form;
}

/** Registers an app, logs in and calls the API. */
export async function createClient(login = "ada", host = HOST, givenApp?: App) {
  const app = givenApp ?? (await registerApp(host));
  const token = await logIn(host, app, login);
  const authorization = `Bearer ${token}`;
  const call = (
    method: string,
    path: string,
    body?: Fields | FormData | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Response> => request(host, method, path, { body, headers: { authorization, ...headers } });
  const get = (path: string): Promise<Response> => call("GET", path);
  const post = (body: Fields, key?: string): Promise<Response> =>
    call("POST", "/api/v1/statuses", body, key === undefined ? {} : { "idempotency-key": key });
  const upload = async (
    name: string,
    type: string,
    fields: Record<string, string> = {},
    bytes?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> => call("POST", "/api/v2/media", await mediaForm(name, type, fields, bytes));
  const attach = async (name: string, type: string, fields: Record<string, string> = {}): Promise<string> =>
    (await (await upload(name, type, fields)).json<Attachment>()).id;
  return { app, token, call, get, post, upload, attach };
}

export type MastodonClient = Awaited<ReturnType<typeof createClient>>;

export const errorOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ error: string }>()).error}`;
