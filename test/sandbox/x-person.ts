import { toBase64Url } from "#core/encoding.ts";
import { call } from "./outbound.ts";

/* Somebody who has given the app access to X, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/x/callback";
export const VERIFIER = "v".repeat(64);
export const ALL_SCOPES = "tweet.read tweet.write users.read media.write offline.access";
export const BASIC = `Basic ${btoa("sandbox-x:sandbox-x-secret")}`;

export async function challengeOf(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

export async function authorizeUrl(change: Record<string, string | null> = {}): Promise<URL> {
  const url = new URL("https://x.com/i/oauth2/authorize");
  const query = {
    response_type: "code",
    client_id: "sandbox-x",
    redirect_uri: REDIRECT,
    scope: ALL_SCOPES,
    state: "some-state",
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: "S256",
    login: "ada",
    ...change,
  };
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

export async function codeFor(login: string, scope = ALL_SCOPES): Promise<string> {
  const answer = await call(String(await authorizeUrl({ login, scope })));
  return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

export function tokenCall(form: Record<string, string>, authorization: string | null = BASIC): Promise<Response> {
  return call("https://api.x.com/2/oauth2/token", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization !== null && { authorization }),
    },
    body: new URLSearchParams(form).toString(),
  });
}

export const codeForm = (code: string): Record<string, string> => ({
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

export async function tokensOf(login: string, scope = ALL_SCOPES): Promise<Tokens> {
  const answer = await tokenCall(codeForm(await codeFor(login, scope)));
  return answer.json<Tokens>();
}

/** Calls the API as that person. */
export async function person(login: string, scope = ALL_SCOPES) {
  const { access_token } = await tokensOf(login, scope);
  const authorization = `Bearer ${access_token}`;
  const api = (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
    const form = body instanceof FormData;
    return call(`https://api.x.com${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && !form && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  };
  const publish = (body: unknown, signal?: AbortSignal): Promise<Response> => api("POST", "/2/tweets", body, signal);
  return { api, publish };
}

export type XPerson = Awaited<ReturnType<typeof person>>;
