import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to Facebook Pages, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/facebook/callback";
export const SCOPES = "pages_show_list,pages_read_engagement,pages_manage_posts,business_management";
export const APP = { client_id: "sandbox-facebook", client_secret: "sandbox-facebook-secret" };
export const SHOP = "110011001100110";
export const WORKSHOP = "110011001100220";
export const GRAPH = "https://graph.facebook.com/v25.0";

export function authorize(change: Record<string, string> = {}, version = "v25.0"): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, scope: SCOPES, response_type: "code", state: "s1" };
  const all = { ...query, login: "ada", ...change };
  return call(`https://www.facebook.com/${version}/dialog/oauth?${String(new URLSearchParams(all))}`);
}

export async function codeFor(change: Record<string, string> = {}): Promise<string> {
  return codeIn(await authorize(change));
}

export const get = (path: string, query: Record<string, string> = {}, base = GRAPH): Promise<Response> =>
  call(`${base}${path}?${String(new URLSearchParams(query))}`);

export const tokenCall = (query: Record<string, string>): Promise<Response> =>
  get("/oauth/access_token", { ...APP, ...query });

export const codeQuery = (code: string): Record<string, string> => ({ redirect_uri: REDIRECT, code });

export async function shortToken(change: Record<string, string> = {}): Promise<string> {
  return (await (await tokenCall(codeQuery(await codeFor(change)))).json<{ access_token: string }>()).access_token;
}

export const exchange = (fb_exchange_token: string): Promise<Response> =>
  tokenCall({ grant_type: "fb_exchange_token", fb_exchange_token });

export async function longToken(change: Record<string, string> = {}): Promise<string> {
  return (await (await exchange(await shortToken(change))).json<{ access_token: string }>()).access_token;
}

export interface ListedPage {
  readonly id: string;
  readonly name: string;
  readonly access_token: string;
  readonly tasks: readonly string[];
}

export async function pagesOf(access_token: string, path = "/me/accounts"): Promise<readonly ListedPage[]> {
  const answer = await get(path, { fields: "id,name,access_token,tasks", access_token });
  return (await answer.json<{ data: readonly ListedPage[] }>()).data;
}

/** Calls the Graph with a token of a Page or of a person. */
export function holder(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const read = (path: string, query: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    call(`${GRAPH}${path}?${String(new URLSearchParams(query))}`, { method, headers });
  const write = (path: string, body: unknown, base = GRAPH): Promise<Response> =>
    call(base + path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { token, read, write };
}

export type Holder = ReturnType<typeof holder>;

/** A Page of that login, as its long-lived token sees it. */
export async function pageHolder(id = SHOP, change: Record<string, string> = {}): Promise<Holder> {
  const found = (await pagesOf(await longToken(change))).find((page) => page.id === id);
  return holder(found?.access_token ?? "");
}

/** `status code/subcode` of a refusal. */
export async function pairOf(answer: Response): Promise<string> {
  if (answer.ok) {
    return String(answer.status);
  }
  const { error } = await answer.json<{ error: { code: number; error_subcode?: number } }>();
  return `${answer.status} ${error.code}/${error.error_subcode ?? "-"}`;
}
