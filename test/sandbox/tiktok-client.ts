import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/* A user who has authorized the app at TikTok, over plain HTTP as the platform's document describes it. */

export const REDIRECT = "http://localhost:8787/connect/tiktok/callback";
export const SCOPES = "user.info.basic,video.publish,video.upload,video.list";
export const APP = { client_key: "sandbox-tiktok", client_secret: "sandbox-tiktok-secret" };
const API = "https://open.tiktokapis.com";
const FORM_CONTENT_TYPE = "application/x-www-form-urlencoded";

export function authorize(overrides: Record<string, string> = {}): Promise<Response> {
  const query = {
    client_key: APP.client_key,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: SCOPES,
    state: "s1",
    login: "ada",
    ...overrides,
  };
  return callPlatform(`https://www.tiktok.com/v2/auth/authorize/?${String(new URLSearchParams(query))}`);
}

export async function requestCode(overrides: Record<string, string> = {}): Promise<string> {
  return codeFromRedirect(await authorize(overrides));
}

export const codeGrantForm = (code: string): Record<string, string> => ({
  ...APP,
  grant_type: "authorization_code",
  redirect_uri: REDIRECT,
  code,
});

export const refreshGrantForm = (refresh_token: string): Record<string, string> => ({
  ...APP,
  grant_type: "refresh_token",
  refresh_token,
});

export function postForm(path: string, fields: Record<string, string>, type = FORM_CONTENT_TYPE): Promise<Response> {
  const body = type === FORM_CONTENT_TYPE ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
  return callPlatform(API + path, { method: "POST", headers: { "content-type": type }, body });
}

export const requestToken = (fields: Record<string, string>, type = FORM_CONTENT_TYPE): Promise<Response> =>
  postForm("/v2/oauth/token/", fields, type);

export interface Tokens {
  readonly open_id: string;
  readonly scope: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly refresh_expires_in: number;
}

export async function requestTokens(overrides: Record<string, string> = {}): Promise<Tokens> {
  return (await requestToken(codeGrantForm(await requestCode(overrides)))).json<Tokens>();
}

export interface Envelope<T> {
  readonly data: T;
  readonly error: { readonly code: string; readonly message: string; readonly log_id: string };
}

/** `<status> <code>` of a response, as the document's table lists them. */
export async function errorCodeOf(response: Response): Promise<string> {
  return `${response.status} ${(await response.json<Envelope<unknown>>()).error.code}`;
}

export interface StartedPublish {
  readonly publish_id: string;
  readonly upload_url: string;
}

export interface PublishStatus {
  readonly status: string;
  readonly fail_reason?: string;
  readonly uploaded_bytes: number;
  readonly publicaly_available_post_id?: readonly unknown[];
}

/** Logs in and calls the API with the user's token. */
export async function createClient(overrides: Record<string, string> = {}) {
  const tokens = await requestTokens(overrides);
  const authorization = `Bearer ${tokens.access_token}`;
  const get = (path: string): Promise<Response> => callPlatform(API + path, { headers: { authorization } });
  const post = (path: string, body: unknown = {}): Promise<Response> =>
    callPlatform(API + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json; charset=UTF-8" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const readStatus = async (publish_id: string): Promise<PublishStatus> =>
    (await (await post("/v2/post/publish/status/fetch/", { publish_id })).json<Envelope<PublishStatus>>()).data;
  const startPublish = async (path: string, body: unknown): Promise<StartedPublish> =>
    (await (await post(`/v2/post/publish/${path}/init/`, body)).json<Envelope<StartedPublish>>()).data;
  return { tokens, get, post, readStatus, startPublish };
}

export type TikTokClient = Awaited<ReturnType<typeof createClient>>;

/** Sends a chunk to the upload URL of an `init` call. */
export function putChunk(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  range: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return callPlatform(url, {
    method: "PUT",
    headers: { "content-type": "video/mp4", "content-range": `bytes ${range}`, ...headers },
    body: bytes,
  });
}

export const wholeRange = (bytes: Uint8Array): string => `0-${bytes.length - 1}/${bytes.length}`;

/** The `source_info` of an upload in one chunk. */
export const singleChunkSource = (bytes: Uint8Array) => ({
  source: "FILE_UPLOAD",
  video_size: bytes.length,
  chunk_size: bytes.length,
  total_chunk_count: 1,
});
