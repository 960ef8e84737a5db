import { callPlatform, callWithProof, codeFromRedirect } from "./call-platform.ts";

/* Connects a test user to Instagram and calls its API with raw HTTP requests, as platforms/instagram.md describes them. */

export const REDIRECT = "http://localhost:8787/connect/instagram/callback";
export const SCOPES = "instagram_business_basic,instagram_business_content_publish";
export const APP = { client_id: "sandbox-instagram", client_secret: "sandbox-instagram-secret" };
/** A call to the Graph API with the proof of the app's secret. */
export const callGraph = (url: string, init?: RequestInit): Promise<Response> =>
  callWithProof(APP.client_secret, url, init);
const GRAPH = "https://graph.instagram.com";
const FORM = "application/x-www-form-urlencoded";

export function authorize(overrides: Record<string, string> = {}): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, response_type: "code", scope: SCOPES, state: "s1" };
  return callPlatform(
    `https://www.instagram.com/oauth/authorize?${String(new URLSearchParams({ ...query, login: "ada", ...overrides }))}`,
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

export function requestToken(form: Record<string, string>, type = FORM): Promise<Response> {
  const body = type === FORM ? new URLSearchParams(form).toString() : JSON.stringify(form);
  return callPlatform("https://api.instagram.com/oauth/access_token", {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
}

export async function requestShortToken(overrides: Record<string, string> = {}): Promise<string> {
  const response = await requestToken(codeGrantForm(await requestCode(overrides)));
  return (await response.json<{ data: [{ access_token: string }] }>()).data[0].access_token;
}

export const get = (path: string, query: Record<string, string> = {}): Promise<Response> =>
  callPlatform(`${GRAPH}${path}?${String(new URLSearchParams(query))}`);

export const getWithToken = (path: string, token: string): Promise<Response> =>
  callGraph(GRAPH + path, { headers: { authorization: `Bearer ${token}` } });

export async function requestLongToken(overrides: Record<string, string> = {}): Promise<string> {
  const access_token = await requestShortToken(overrides);
  const { client_secret } = APP;
  const response = await get("/access_token", { grant_type: "ig_exchange_token", client_secret, access_token });
  return (await response.json<{ access_token: string }>()).access_token;
}

/** Calls the Graph API with a long-lived token of the test user. */
export async function createClient(overrides: Record<string, string> = {}) {
  const token = await requestLongToken(overrides);
  const headers = { authorization: `Bearer ${token}` };
  const request = (path: string, query: Record<string, string> = {}): Promise<Response> =>
    callGraph(`${GRAPH}/v25.0${path}?${String(new URLSearchParams(query))}`, { headers });
  const post = (path: string, form: Record<string, string>): Promise<Response> =>
    callGraph(`${GRAPH}/v25.0${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": FORM },
      body: new URLSearchParams(form).toString(),
    });
  const createContainer = async (form: Record<string, string>): Promise<string> =>
    (await (await post("/me/media", form)).json<{ id: string }>()).id;
  const publishContainer = (creation_id: string): Promise<Response> => post("/me/media_publish", { creation_id });
  return { token, request, post, createContainer, publishContainer };
}

export type InstagramClient = Awaited<ReturnType<typeof createClient>>;

/** `code/subcode` of an error response, as the official table lists them. */
export async function errorCodeOf(response: Response): Promise<string> {
  const { error } = await response.json<{ error: { code: number; error_subcode?: number } }>();
  return `${error.code}/${error.error_subcode ?? "-"}`;
}
