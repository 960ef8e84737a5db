import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to Instagram, by raw HTTP as the document describes it. */

export const REDIRECT = "http://localhost:8787/connect/instagram/callback";
export const SCOPES = "instagram_business_basic,instagram_business_content_publish";
export const APP = { client_id: "sandbox-instagram", client_secret: "sandbox-instagram-secret" };
const GRAPH = "https://graph.instagram.com";
const FORM = "application/x-www-form-urlencoded";

export function authorize(change: Record<string, string> = {}): Promise<Response> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, response_type: "code", scope: SCOPES, state: "s1" };
  return call(
    `https://www.instagram.com/oauth/authorize?${String(new URLSearchParams({ ...query, login: "ada", ...change }))}`,
  );
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

export function tokenCall(form: Record<string, string>, type = FORM): Promise<Response> {
  const body = type === FORM ? new URLSearchParams(form).toString() : JSON.stringify(form);
  return call("https://api.instagram.com/oauth/access_token", {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
}

export async function shortToken(change: Record<string, string> = {}): Promise<string> {
  const answer = await tokenCall(codeForm(await codeFor(change)));
  return (await answer.json<{ data: [{ access_token: string }] }>()).data[0].access_token;
}

export const get = (path: string, query: Record<string, string> = {}): Promise<Response> =>
  call(`${GRAPH}${path}?${String(new URLSearchParams(query))}`);

export async function longToken(change: Record<string, string> = {}): Promise<string> {
  const access_token = await shortToken(change);
  const { client_secret } = APP;
  const answer = await get("/access_token", { grant_type: "ig_exchange_token", client_secret, access_token });
  return (await answer.json<{ access_token: string }>()).access_token;
}

/** Calls the Graph as that person. */
export async function person(change: Record<string, string> = {}) {
  const token = await longToken(change);
  const headers = { authorization: `Bearer ${token}` };
  const read = (path: string, query: Record<string, string> = {}): Promise<Response> =>
    call(`${GRAPH}/v25.0${path}?${String(new URLSearchParams(query))}`, { headers });
  const write = (path: string, form: Record<string, string>): Promise<Response> =>
    call(`${GRAPH}/v25.0${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": FORM },
      body: new URLSearchParams(form).toString(),
    });
  const contain = async (form: Record<string, string>): Promise<string> =>
    (await (await write("/me/media", form)).json<{ id: string }>()).id;
  const publish = (creation_id: string): Promise<Response> => write("/me/media_publish", { creation_id });
  return { token, read, write, contain, publish };
}

export type InstagramPerson = Awaited<ReturnType<typeof person>>;

/** `code/subcode` of a refusal, as the official table pairs them. */
export async function pairOf(answer: Response): Promise<string> {
  const { error } = await answer.json<{ error: { code: number; error_subcode?: number } }>();
  return `${error.code}/${error.error_subcode ?? "-"}`;
}
