import { hmacSha256Hex } from "#core/encoding.ts";
import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/* Connects a test user to Facebook Pages and calls its API with raw HTTP requests, as platforms/facebook.md describes them. */

export const REDIRECT = "http://localhost:8787/connect/facebook/callback";
export const SCOPES = "pages_show_list,pages_read_engagement,pages_manage_posts";
export const APP = { client_id: "sandbox-facebook", client_secret: "sandbox-facebook-secret" };
export const SHOP = "110011001100110";
export const WORKSHOP = "110011001100220";
export const GRAPH = "https://graph.facebook.com/v25.0";

export function authorize(overrides: Record<string, string> = {}, version = "v25.0"): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, scope: SCOPES, response_type: "code", state: "s1" };
  const params = { ...query, auth_type: "rerequest", login: "ada", ...overrides };
  return callPlatform(`https://www.facebook.com/${version}/dialog/oauth?${String(new URLSearchParams(params))}`);
}

export async function requestCode(overrides: Record<string, string> = {}): Promise<string> {
  return codeFromRedirect(await authorize(overrides));
}

export const proofOf = (token: string): Promise<string> => hmacSha256Hex(APP.client_secret, token);

/** The token is sent in the header; only the token debugger reads it from the query. An empty proof is not sent. */
export async function get(path: string, params: Record<string, string> = {}, base = GRAPH): Promise<Response> {
  const { access_token: token, ...rest } = params;
  if (token === undefined || path === "/debug_token") {
    return callPlatform(`${base}${path}?${String(new URLSearchParams(params))}`);
  }
  const query = new URLSearchParams({ appsecret_proof: await proofOf(token), ...rest });
  if (query.get("appsecret_proof") === "") {
    query.delete("appsecret_proof");
  }
  return callPlatform(`${base}${path}?${String(query)}`, { headers: { authorization: `Bearer ${token}` } });
}

export const requestToken = (form: Record<string, string>): Promise<Response> =>
  callPlatform(`${GRAPH}/oauth/access_token`, { method: "POST", body: new URLSearchParams({ ...APP, ...form }) });

export const codeGrantQuery = (code: string): Record<string, string> => ({ redirect_uri: REDIRECT, code });

export async function requestShortToken(overrides: Record<string, string> = {}): Promise<string> {
  return (await (await requestToken(codeGrantQuery(await requestCode(overrides)))).json<{ access_token: string }>())
    .access_token;
}

export const exchangeToken = (fb_exchange_token: string): Promise<Response> =>
  requestToken({ grant_type: "fb_exchange_token", fb_exchange_token });

export async function requestLongToken(overrides: Record<string, string> = {}): Promise<string> {
  return (await (await exchangeToken(await requestShortToken(overrides))).json<{ access_token: string }>())
    .access_token;
}

export interface ListedPage {
  readonly id: string;
  readonly name: string;
  readonly access_token: string;
  readonly tasks: readonly string[];
}

export async function listPages(access_token: string, path = "/me/accounts"): Promise<readonly ListedPage[]> {
  const fields = path === "/me/accounts" ? "id,name,access_token,tasks" : "id,name,access_token";
  const response = await get(path, { fields, access_token });
  return (await response.json<{ data: readonly ListedPage[] }>()).data;
}

/** Calls the Graph API with the token of a Page or a user. */
export function createClient(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const request = async (path: string, query: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    callPlatform(
      `${GRAPH}${path}?${String(new URLSearchParams({ appsecret_proof: await proofOf(token), ...query }))}`,
      {
        method,
        headers,
      },
    );
  const post = async (path: string, body: unknown, base = GRAPH): Promise<Response> =>
    callPlatform(`${base}${path}${path.includes("?") ? "&" : "?"}appsecret_proof=${await proofOf(token)}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { token, request, post };
}

export type FacebookClient = ReturnType<typeof createClient>;

/** A client with the Page token that the user's long-lived token gives. */
export async function createPageClient(id = SHOP, overrides: Record<string, string> = {}): Promise<FacebookClient> {
  const listed = (await listPages(await requestLongToken(overrides))).find((page) => page.id === id);
  return createClient(listed?.access_token ?? "");
}

/** `status code/subcode` of an error response; only the status of a success. */
export async function errorCodeOf(response: Response): Promise<string> {
  if (response.ok) {
    return String(response.status);
  }
  const { error } = await response.json<{ error: { code: number; error_subcode?: number } }>();
  return `${response.status} ${error.code}/${error.error_subcode ?? "-"}`;
}
