import { toBase64Url } from "#core/encoding.ts";
import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/* A user who has authorized the app at YouTube, over plain HTTP as the platform's document describes it. */

export const REDIRECT = "http://localhost:8787/connect/youtube/callback";
const SCOPE_PREFIX = "https://www.googleapis.com/auth/";
export const UPLOAD_SCOPE = `${SCOPE_PREFIX}youtube.upload`;
export const READ_SCOPE = `${SCOPE_PREFIX}youtube.readonly`;
export const WRITE_SCOPE = `${SCOPE_PREFIX}youtube`;
export const APP = { client_id: "sandbox-youtube", client_secret: "sandbox-youtube-secret" };
const VERIFIER = "v".repeat(64);
const API = "https://www.googleapis.com";

async function s256Challenge(): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))));
}

export async function authorize(overrides: Record<string, string | null> = {}): Promise<Response> {
  const url = new URL("https://accounts.google.com/o/oauth2/v2/auth");
  const query = {
    client_id: APP.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: `${UPLOAD_SCOPE} ${READ_SCOPE}`,
    state: "s1",
    access_type: "offline",
    prompt: "consent",
    code_challenge: await s256Challenge(),
    code_challenge_method: "S256",
    login: "ada",
    ...overrides,
  };
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) {
      url.searchParams.set(name, value);
    }
  }
  return callPlatform(url.href);
}

export async function requestCode(overrides: Record<string, string | null> = {}): Promise<string> {
  return codeFromRedirect(await authorize(overrides));
}

const postOAuth = (path: string, form: Record<string, string>): Promise<Response> =>
  callPlatform(`https://oauth2.googleapis.com${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

export const requestToken = (form: Record<string, string>): Promise<Response> =>
  postOAuth("/token", { ...APP, ...form });
export const revokeToken = (token: string): Promise<Response> => postOAuth("/revoke", { token });

export const codeGrantForm = (code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope: string;
  readonly expires_in: number;
}

export async function requestTokens(overrides: Record<string, string | null> = {}): Promise<Tokens> {
  return (await requestToken(codeGrantForm(await requestCode(overrides)))).json<Tokens>();
}

/** `<status> <reason>` of an error, as the document's table lists them; only the status on success. */
export async function errorReasonOf(response: Response): Promise<string> {
  if (response.ok) {
    return String(response.status);
  }
  const { error } = await response.json<{ error: { errors: [{ reason: string }] } }>();
  return `${response.status} ${error.errors[0].reason}`;
}

export interface SessionRequest {
  readonly size: number;
  readonly body?: unknown;
  readonly part?: string;
  readonly headers?: Record<string, string>;
}

export const VIDEO_RESOURCE = {
  snippet: { title: "How to glaze a bowl", description: "Full caption here", categoryId: "22" },
  status: { privacyStatus: "public", selfDeclaredMadeForKids: false },
};

/** Logs in and calls the API with the user's token. */
export async function createClient(overrides: Record<string, string | null> = {}) {
  const tokens = await requestTokens(overrides);
  const authorization = `Bearer ${tokens.access_token}`;
  const get = (path: string, query: Record<string, string>, method = "GET"): Promise<Response> =>
    callPlatform(`${API}/youtube/v3/${path}?${String(new URLSearchParams(query))}`, {
      method,
      headers: { authorization },
    });
  const startSession = ({
    size,
    body = VIDEO_RESOURCE,
    part = "snippet,status",
    headers = {},
  }: SessionRequest): Promise<Response> =>
    callPlatform(`${API}/upload/youtube/v3/videos?uploadType=resumable&part=${part}`, {
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
  const createSession = async (request: SessionRequest): Promise<string> =>
    (await startSession(request)).headers.get("location") ?? "";
  /** Sends bytes with their range; without a range the whole file in one request. */
  const putChunk = (url: string, bytes: Uint8Array<ArrayBuffer>, range?: string): Promise<Response> =>
    callPlatform(url, {
      method: "PUT",
      headers: {
        authorization,
        "content-type": "video/mp4",
        ...(range !== undefined && { "content-range": `bytes ${range}` }),
      },
      body: bytes,
    });
  const queryProgress = (url: string, total: number | "*"): Promise<Response> =>
    callPlatform(url, {
      method: "PUT",
      headers: { authorization, "content-range": `bytes */${total}`, "content-length": "0" },
    });
  return { tokens, get, startSession, createSession, putChunk, queryProgress };
}

export type YouTubeClient = Awaited<ReturnType<typeof createClient>>;
