import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to Pinterest, by raw HTTP as the document describes it. */

const REDIRECT = "http://localhost:8787/connect/pinterest/callback";
export const SCOPES = "boards:read,boards:write,pins:read,pins:write,user_accounts:read";
export const SECRET = "boards:read_secret,boards:write_secret,pins:read_secret,pins:write_secret";
export const BASIC = `Basic ${btoa("sandbox-pinterest:sandbox-pinterest-secret")}`;
const API = "https://api.pinterest.com/v5";
export const BOARD = "549755885175";

export function authorize(change: Record<string, string> = {}): Promise<Response> {
  const query = {
    client_id: "sandbox-pinterest",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: SCOPES,
    state: "s1",
    login: "ada",
    ...change,
  };
  return call(`https://www.pinterest.com/oauth/?${String(new URLSearchParams(query))}`);
}

export async function codeFor(change: Record<string, string> = {}): Promise<string> {
  return codeIn(await authorize(change));
}

export const codeForm = (code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: REDIRECT,
  continuous_refresh: "true",
});

export const tokenCall = (form: Record<string, string>, authorization: string | null = BASIC): Promise<Response> =>
  call(`${API}/oauth/token`, {
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

export async function tokensOf(change: Record<string, string> = {}): Promise<Tokens> {
  return (await tokenCall(codeForm(await codeFor(change)))).json<Tokens>();
}

/** `status code` of a refusal, as the document's table pairs them. */
export async function codeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return answer.ok ? String(answer.status) : `${answer.status} ${(JSON.parse(text) as { code: number }).code}`;
}

export interface Registered {
  readonly media_id: string;
  readonly upload_url: string;
  readonly upload_parameters: Readonly<Record<string, string>>;
}

/** The form S3 takes: every parameter, then the file. */
export function formOf(parameters: Readonly<Record<string, string>>, file: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) {
    form.append(name, value);
  }
  form.append("file", new Blob([file]), "film.mp4");
  return form;
}

/** A form as bytes, so that its length is known before it is sent. */
export async function postForm(url: string, form: FormData, headers: Record<string, string> = {}): Promise<Response> {
  const encoded = new Response(form);
  const body = await encoded.arrayBuffer();
  const type = encoded.headers.get("content-type") ?? "";
  return call(url, { method: "POST", headers: { "content-type": type, ...headers }, body });
}

/** Calls the API as that person. */
export async function person(change: Record<string, string> = {}) {
  const tokens = await tokensOf(change);
  const authorization = `Bearer ${tokens.access_token}`;
  const api = (method: string, path: string, body?: unknown, base = API): Promise<Response> =>
    call(base + path, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const register = async (): Promise<Registered> =>
    (await api("POST", "/media", { media_type: "video" })).json<Registered>();
  const video = async (file: Uint8Array<ArrayBuffer>): Promise<string> => {
    const registered = await register();
    await postForm(registered.upload_url, formOf(registered.upload_parameters, file));
    return registered.media_id;
  };
  const pin = (body: unknown, base?: string): Promise<Response> => api("POST", "/pins", body, base);
  return { tokens, authorization, api, register, video, pin };
}

export type PinterestPerson = Awaited<ReturnType<typeof person>>;
