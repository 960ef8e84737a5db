import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to TikTok, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/tiktok/callback";
export const SCOPES = "user.info.basic,video.publish,video.upload,video.list";
export const APP = { client_key: "sandbox-tiktok", client_secret: "sandbox-tiktok-secret" };
const API = "https://open.tiktokapis.com";
const FORM = "application/x-www-form-urlencoded";

export function authorize(change: Record<string, string> = {}): Promise<Response> {
  const query = {
    client_key: APP.client_key,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: SCOPES,
    state: "s1",
    login: "ada",
    ...change,
  };
  return call(`https://www.tiktok.com/v2/auth/authorize/?${String(new URLSearchParams(query))}`);
}

export async function codeFor(change: Record<string, string> = {}): Promise<string> {
  return codeIn(await authorize(change));
}

export const codeForm = (code: string): Record<string, string> => ({
  ...APP,
  grant_type: "authorization_code",
  redirect_uri: REDIRECT,
  code,
});

export const refreshForm = (refresh_token: string): Record<string, string> => ({
  ...APP,
  grant_type: "refresh_token",
  refresh_token,
});

export function form(path: string, fields: Record<string, string>, type = FORM): Promise<Response> {
  const body = type === FORM ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
  return call(API + path, { method: "POST", headers: { "content-type": type }, body });
}

export const tokenCall = (fields: Record<string, string>, type = FORM): Promise<Response> =>
  form("/v2/oauth/token/", fields, type);

export interface Tokens {
  readonly open_id: string;
  readonly scope: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly refresh_expires_in: number;
}

export async function tokensOf(change: Record<string, string> = {}): Promise<Tokens> {
  return (await tokenCall(codeForm(await codeFor(change)))).json<Tokens>();
}

export interface Envelope<T> {
  readonly data: T;
  readonly error: { readonly code: string; readonly message: string; readonly log_id: string };
}

/** `status code` of an answer: the pair that the document's table lists. */
export async function wordOf(answer: Response): Promise<string> {
  return `${answer.status} ${(await answer.json<Envelope<unknown>>()).error.code}`;
}

export interface Begun {
  readonly publish_id: string;
  readonly upload_url: string;
}

export interface Fetched {
  readonly status: string;
  readonly fail_reason?: string;
  readonly uploaded_bytes: number;
  readonly publicaly_available_post_id?: readonly unknown[];
}

/** Calls the API as that person. */
export async function person(change: Record<string, string> = {}) {
  const tokens = await tokensOf(change);
  const authorization = `Bearer ${tokens.access_token}`;
  const get = (path: string): Promise<Response> => call(API + path, { headers: { authorization } });
  const post = (path: string, body: unknown = {}): Promise<Response> =>
    call(API + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json; charset=UTF-8" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const status = async (publish_id: string): Promise<Fetched> =>
    (await (await post("/v2/post/publish/status/fetch/", { publish_id })).json<Envelope<Fetched>>()).data;
  const begin = async (path: string, body: unknown): Promise<Begun> =>
    (await (await post(`/v2/post/publish/${path}/init/`, body)).json<Envelope<Begun>>()).data;
  return { tokens, get, post, status, begin };
}

export type TikTokPerson = Awaited<ReturnType<typeof person>>;

/** A chunk to where an init said; `range` and headers as the caller wants them. */
export function put(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  range: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return call(url, {
    method: "PUT",
    headers: { "content-type": "video/mp4", "content-range": `bytes ${range}`, ...headers },
    body: bytes,
  });
}

export const wholeRange = (bytes: Uint8Array): string => `0-${bytes.length - 1}/${bytes.length}`;

/** The source of an upload in one chunk. */
export const fileOf = (bytes: Uint8Array) => ({
  source: "FILE_UPLOAD",
  video_size: bytes.length,
  chunk_size: bytes.length,
  total_chunk_count: 1,
});
