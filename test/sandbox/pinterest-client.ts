import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/* A user who has authorized the app at Pinterest, over plain HTTP as the platform's document describes it. */

const REDIRECT = "http://localhost:8787/connect/pinterest/callback";
export const SCOPES = "boards:read,boards:write,pins:read,pins:write,user_accounts:read";
export const SECRET_BOARD_SCOPES = "boards:read_secret,boards:write_secret,pins:read_secret,pins:write_secret";
export const BASIC_AUTH = `Basic ${btoa("sandbox-pinterest:sandbox-pinterest-secret")}`;
const API = "https://api.pinterest.com/v5";
export const BOARD = "549755885175";

export function authorize(overrides: Record<string, string> = {}): Promise<Response> {
  const query = {
    client_id: "sandbox-pinterest",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: SCOPES,
    state: "s1",
    login: "ada",
    ...overrides,
  };
  return callPlatform(`https://www.pinterest.com/oauth/?${String(new URLSearchParams(query))}`);
}

export async function requestCode(overrides: Record<string, string> = {}): Promise<string> {
  return codeFromRedirect(await authorize(overrides));
}

export const codeGrantForm = (code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: REDIRECT,
  continuous_refresh: "true",
});

export const requestToken = (
  form: Record<string, string>,
  authorization: string | null = BASIC_AUTH,
): Promise<Response> =>
  callPlatform(`${API}/oauth/token`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization !== null && { authorization }),
    },
    body: new URLSearchParams(form).toString(),
  });

export interface Tokens {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

export async function requestTokens(overrides: Record<string, string> = {}): Promise<Tokens> {
  return (await requestToken(codeGrantForm(await requestCode(overrides)))).json<Tokens>();
}

/** `<status> <code>` of an error, as the document's table lists them; only the status on success. */
export async function errorCodeOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.ok ? String(response.status) : `${response.status} ${(JSON.parse(text) as { code: number }).code}`;
}

export interface RegisteredMedia {
  readonly media_id: string;
  readonly upload_url: string;
  readonly upload_parameters: Readonly<Record<string, string>>;
}

/** The form for S3: every parameter, then the file. */
export function uploadForm(parameters: Readonly<Record<string, string>>, file: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) {
    form.append(name, value);
  }
  form.append("file", new Blob([file]), "video.mp4");
  return form;
}

/** Sends a form as bytes, so that its length is known before it is sent. */
export async function postForm(url: string, form: FormData, headers: Record<string, string> = {}): Promise<Response> {
  const encoded = new Response(form);
  const body = await encoded.arrayBuffer();
  const type = encoded.headers.get("content-type") ?? "";
  return callPlatform(url, { method: "POST", headers: { "content-type": type, ...headers }, body });
}

/** Logs in and calls the API with the user's token. */
export async function createClient(overrides: Record<string, string> = {}) {
  const tokens = await requestTokens(overrides);
  const authorization = `Bearer ${tokens.access_token}`;
  const callApi = (method: string, path: string, body?: unknown, base = API): Promise<Response> =>
    callPlatform(base + path, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const registerMedia = async (): Promise<RegisteredMedia> =>
    (await callApi("POST", "/media", { media_type: "video" })).json<RegisteredMedia>();
  const uploadVideo = async (file: Uint8Array<ArrayBuffer>): Promise<string> => {
    const registered = await registerMedia();
    await postForm(registered.upload_url, uploadForm(registered.upload_parameters, file));
    return registered.media_id;
  };
  const createPin = (body: unknown, base?: string): Promise<Response> => callApi("POST", "/pins", body, base);
  return { tokens, authorization, callApi, registerMedia, uploadVideo, createPin };
}

export type PinterestClient = Awaited<ReturnType<typeof createClient>>;
