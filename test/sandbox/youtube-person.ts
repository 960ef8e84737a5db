import { toBase64Url } from "#core/encoding.ts";
import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to YouTube, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/youtube/callback";
const AUTH = "https://www.googleapis.com/auth/";
export const UPLOAD = `${AUTH}youtube.upload`;
export const READ = `${AUTH}youtube.readonly`;
export const WRITE = `${AUTH}youtube`;
export const APP = { client_id: "sandbox-youtube", client_secret: "sandbox-youtube-secret" };
const VERIFIER = "v".repeat(64);
const API = "https://www.googleapis.com";

async function challenge(): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))));
}

export async function authorize(change: Record<string, string | null> = {}): Promise<Response> {
  const url = new URL("https://accounts.google.com/o/oauth2/v2/auth");
  const query = {
    client_id: APP.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: `${UPLOAD} ${READ}`,
    state: "s1",
    access_type: "offline",
    prompt: "consent",
    code_challenge: await challenge(),
    code_challenge_method: "S256",
    login: "ada",
    ...change,
  };
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) {
      url.searchParams.set(name, value);
    }
  }
  return call(url.href);
}

export async function codeFor(change: Record<string, string | null> = {}): Promise<string> {
  return codeIn(await authorize(change));
}

const oauth = (path: string, form: Record<string, string>): Promise<Response> =>
  call(`https://oauth2.googleapis.com${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

export const tokenCall = (form: Record<string, string>): Promise<Response> => oauth("/token", { ...APP, ...form });
export const revokeCall = (token: string): Promise<Response> => oauth("/revoke", { token });

export const codeForm = (code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly expires_in: number;
}

export async function tokensOf(change: Record<string, string | null> = {}): Promise<Tokens> {
  return (await tokenCall(codeForm(await codeFor(change)))).json<Tokens>();
}

/** `status reason` of a refusal, as the document's table pairs them. */
export async function reasonOf(answer: Response): Promise<string> {
  if (answer.ok) {
    return String(answer.status);
  }
  const { error } = await answer.json<{ error: { errors: [{ reason: string }] } }>();
  return `${answer.status} ${error.errors[0].reason}`;
}

export interface Start {
  readonly size: number;
  readonly body?: unknown;
  readonly part?: string;
  readonly headers?: Record<string, string>;
}

export const RESOURCE = {
  snippet: { title: "How to glaze a bowl", description: "Full caption here", categoryId: "22" },
  status: { privacyStatus: "public", selfDeclaredMadeForKids: false },
};

/** Calls the API as that person. */
export async function person(change: Record<string, string | null> = {}) {
  const tokens = await tokensOf(change);
  const authorization = `Bearer ${tokens.access_token}`;
  const get = (path: string, query: Record<string, string>, method = "GET"): Promise<Response> =>
    call(`${API}/youtube/v3/${path}?${String(new URLSearchParams(query))}`, { method, headers: { authorization } });
  const start = ({ size, body = RESOURCE, part = "snippet,status", headers = {} }: Start): Promise<Response> =>
    call(`${API}/upload/youtube/v3/videos?uploadType=resumable&part=${part}`, {
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json; charset=UTF-8",
        "x-upload-content-type": "video/mp4",
        "x-upload-content-length": String(size),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const session = async (request: Start): Promise<string> => (await start(request)).headers.get("location") ?? "";
  /** Bytes with their range; without a range a file in one go. */
  const send = (url: string, bytes: Uint8Array<ArrayBuffer>, range?: string): Promise<Response> =>
    call(url, {
      method: "PUT",
      headers: {
        authorization,
        "content-type": "video/mp4",
        ...(range !== undefined && { "content-range": `bytes ${range}` }),
      },
      body: bytes,
    });
  const probe = (url: string, total: number | "*"): Promise<Response> =>
    call(url, {
      method: "PUT",
      headers: { authorization, "content-range": `bytes */${total}`, "content-length": "0" },
    });
  return { tokens, get, start, session, send, probe };
}

export type YouTubePerson = Awaited<ReturnType<typeof person>>;
