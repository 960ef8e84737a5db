import { callPlatform, callWithProof, codeFromRedirect } from "./call-platform.ts";

/* Connects a test user to Threads and calls its API with raw HTTP requests, as platforms/threads.md describes them. */

export const REDIRECT = "http://localhost:8787/connect/threads/callback";
const SCOPES = "threads_basic,threads_content_publish,threads_delete";
export const APP = { client_id: "sandbox-threads", client_secret: "sandbox-threads-secret" };
/** A call to the Graph API with the proof of the app's secret. */
export const callGraph = (url: string, init?: RequestInit): Promise<Response> =>
  callWithProof(APP.client_secret, url, init);
const GRAPH = "https://graph.threads.net";
const FORM = "application/x-www-form-urlencoded";

export function authorize(overrides: Record<string, string> = {}, host = "threads.net"): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, scope: SCOPES, response_type: "code", state: "s1" };
  return callPlatform(
    `https://${host}/oauth/authorize?${String(new URLSearchParams({ ...query, login: "ada", ...overrides }))}`,
  );
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

export const requestToken = (form: Record<string, string>): Promise<Response> =>
  callPlatform(`${GRAPH}/oauth/access_token`, {
    method: "POST",
    headers: { "content-type": FORM },
    body: new URLSearchParams(form).toString(),
  });

export const get = (path: string, query: Record<string, string> = {}): Promise<Response> =>
  callPlatform(`${GRAPH}${path}?${String(new URLSearchParams(query))}`);

export async function requestShortToken(overrides: Record<string, string> = {}): Promise<string> {
  const response = await requestToken(codeGrantForm(await requestCode(overrides)));
  return (await response.json<{ access_token: string }>()).access_token;
}

export const exchangeToken = (access_token: string, client_secret = APP.client_secret): Promise<Response> =>
  get("/access_token", { grant_type: "th_exchange_token", client_secret, access_token });

export const refreshToken = (access_token: string): Promise<Response> =>
  get("/refresh_access_token", { grant_type: "th_refresh_token", access_token });

export async function requestLongToken(overrides: Record<string, string> = {}): Promise<string> {
  return (await (await exchangeToken(await requestShortToken(overrides))).json<{ access_token: string }>())
    .access_token;
}

/** Calls the API with a long-lived token of the test user. */
export async function createClient(overrides: Record<string, string> = {}) {
  const token = await requestLongToken(overrides);
  const headers = { authorization: `Bearer ${token}` };
  const request = (path: string, query: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    callGraph(`${GRAPH}/v1.0${path}?${String(new URLSearchParams(query))}`, { method, headers });
  const post = (path: string, form: Record<string, string>): Promise<Response> =>
    callGraph(`${GRAPH}/v1.0${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": FORM },
      body: new URLSearchParams(form).toString(),
    });
  const createContainer = async (form: Record<string, string>): Promise<string> =>
    (await (await post("/me/threads", form)).json<{ id: string }>()).id;
  const publishContainer = (creation_id: string): Promise<Response> => post("/me/threads_publish", { creation_id });
  return { token, headers, request, post, createContainer, publishContainer };
}

export type ThreadsClient = Awaited<ReturnType<typeof createClient>>;

/** `status code/subcode` of an error response; only the status of a success. */
export async function errorCodeOf(response: Response): Promise<string> {
  if (response.ok) {
    return String(response.status);
  }
  const { error } = await response.json<{ error: { code: number; error_subcode?: number } }>();
  return `${response.status} ${error.code}/${error.error_subcode ?? "-"}`;
}
