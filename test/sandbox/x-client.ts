import { toBase64Url } from "#core/encoding.ts";
import { callPlatform } from "./call-platform.ts";

/* A user who has authorized the app at X, over plain HTTP as the platform's document describes it. */

export const REDIRECT = "http://localhost:8787/connect/x/callback";
export const VERIFIER = "v".repeat(64);
export const ALL_SCOPES = "tweet.read tweet.write users.read media.write offline.access";
export const BASIC_AUTH = `Basic ${btoa("sandbox-x:sandbox-x-secret")}`;

export async function s256Challenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

export async function authorizeUrl(overrides: Record<string, string | null> = {}): Promise<URL> {
  const url = new URL("https://x.com/i/oauth2/authorize");
  const query = {
    response_type: "code",
    client_id: "sandbox-x",
    redirect_uri: REDIRECT,
    scope: ALL_SCOPES,
    state: "some-state",
    code_challenge: await s256Challenge(VERIFIER),
    code_challenge_method: "S256",
    login: "ada",
    ...overrides,
  };
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

export async function requestCode(login: string, scope = ALL_SCOPES): Promise<string> {
  const response = await callPlatform(String(await authorizeUrl({ login, scope })));
  return new URL(response.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

export function requestToken(
  form: Record<string, string>,
  authorization: string | null = BASIC_AUTH,
): Promise<Response> {
  return callPlatform("https://api.x.com/2/oauth2/token", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization !== null && { authorization }),
    },
    body: new URLSearchParams(form).toString(),
  });
}

export const codeGrantForm = (code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

export async function requestTokens(login: string, scope = ALL_SCOPES): Promise<Tokens> {
  const response = await requestToken(codeGrantForm(await requestCode(login, scope)));
  return response.json<Tokens>();
}

/** Logs in and calls the API with the user's token. */
export async function createClient(login: string, scope = ALL_SCOPES) {
  const { access_token } = await requestTokens(login, scope);
  const authorization = `Bearer ${access_token}`;
  const callApi = (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
    const isForm = body instanceof FormData;
    return callPlatform(`https://api.x.com${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && !isForm && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  };
  const createPost = (body: unknown, signal?: AbortSignal): Promise<Response> =>
    callApi("POST", "/2/tweets", body, signal);
  return { callApi, createPost };
}

export type XClient = Awaited<ReturnType<typeof createClient>>;
