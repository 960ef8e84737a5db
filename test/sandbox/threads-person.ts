import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to Threads, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/threads/callback";
const SCOPES = "threads_basic,threads_content_publish,threads_delete";
export const APP = { client_id: "sandbox-threads", client_secret: "sandbox-threads-secret" };
const GRAPH = "https://graph.threads.net";
const FORM = "application/x-www-form-urlencoded";

export function authorize(change: Record<string, string> = {}, host = "threads.net"): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, scope: SCOPES, response_type: "code", state: "s1" };
  return call(`https://${host}/oauth/authorize?${String(new URLSearchParams({ ...query, login: "ada", ...change }))}`);
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

export const tokenCall = (form: Record<string, string>): Promise<Response> =>
  call(`${GRAPH}/oauth/access_token`, {
    method: "POST",
    headers: { "content-type": FORM },
    body: new URLSearchParams(form).toString(),
  });

export const get = (path: string, query: Record<string, string> = {}, graph = GRAPH): Promise<Response> =>
  call(`${graph}${path}?${String(new URLSearchParams(query))}`);

export async function shortToken(change: Record<string, string> = {}): Promise<string> {
  const answer = await tokenCall(codeForm(await codeFor(change)));
  return (await answer.json<{ access_token: string }>()).access_token;
}

export const exchange = (access_token: string, client_secret = APP.client_secret): Promise<Response> =>
  get("/access_token", { grant_type: "th_exchange_token", client_secret, access_token });

export const refresh = (access_token: string): Promise<Response> =>
  get("/refresh_access_token", { grant_type: "th_refresh_token", access_token });

export async function longToken(change: Record<string, string> = {}): Promise<string> {
  return (await (await exchange(await shortToken(change))).json<{ access_token: string }>()).access_token;
}

/** Calls the API as that person. */
export async function person(change: Record<string, string> = {}) {
  const token = await longToken(change);
  const headers = { authorization: `Bearer ${token}` };
  const read = (path: string, query: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    call(`${GRAPH}/v1.0${path}?${String(new URLSearchParams(query))}`, { method, headers });
  const write = (path: string, form: Record<string, string>): Promise<Response> =>
    call(`${GRAPH}/v1.0${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": FORM },
      body: new URLSearchParams(form).toString(),
    });
  const contain = async (form: Record<string, string>): Promise<string> =>
    (await (await write("/me/threads", form)).json<{ id: string }>()).id;
  const publish = (creation_id: string): Promise<Response> => write("/me/threads_publish", { creation_id });
  return { token, headers, read, write, contain, publish };
}

export type ThreadsPerson = Awaited<ReturnType<typeof person>>;

/** `status code/subcode` of a refusal. */
export async function pairOf(answer: Response): Promise<string> {
  if (answer.ok) {
    return String(answer.status);
  }
  const { error } = await answer.json<{ error: { code: number; error_subcode?: number } }>();
  return `${answer.status} ${error.code}/${error.error_subcode ?? "-"}`;
}
