import { type Config, readConfig } from "#config.ts";
import type { SandboxEnv } from "./env.ts";
import { BadRequest } from "./bad-request.ts";

const REDIRECTS_MAX = 5;

type Fetch = (request: Request) => Promise<Response>;

interface ConnectInput {
  readonly api_key: string;
  readonly platform: string;
  readonly login: string;
  /** Values for the form fields of the login, without secrets. */
  readonly input: Readonly<Record<string, string>>;
  /** Values for a login with an app password, which needs no browser. */
  readonly credentials: Readonly<Record<string, string>> | null;
}

/**
 * Connects an account as a user does: requests the connect link, sends its form, follows the redirects to the callback,
 * chooses every offered account, then syncs.
 */
export async function connectAccount(env: SandboxEnv, app: Fetch, input: ConnectInput): Promise<unknown[]> {
  const config = readConfig(env);
  const started = await call(app, config, input, "/accounts", {
    platform: input.platform,
    ...(Object.keys(input.input).length > 0 && { input: input.input }),
  });
  await logInWithBrowser(app, config.origin, String(started["connect_url"]), {
    ...input.input,
    ...input.credentials,
    method: input.credentials ? "credentials" : "oauth",
    login: input.login,
  });
  const synced = await call(app, config, input, "/accounts/sync");
  const accounts = Array.isArray(synced["accounts"]) ? (synced["accounts"] as { platform?: unknown }[]) : [];
  return accounts.filter((account) => account.platform === input.platform);
}

async function call(app: Fetch, config: Config, { api_key }: ConnectInput, path: string, body?: object) {
  const response = await app(
    new Request(config.baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const responseBody = await response.json<Record<string, unknown>>();
  if (!response.ok) {
    throw new BadRequest(`POST ${path} answered ${response.status}: ${String(responseBody["error"])}`);
  }
  return responseBody;
}

/** Sends the form of the connect page and follows redirects with cookies, until an answer is a page. */
export async function logInWithBrowser(
  app: Fetch,
  origin: string,
  connectUrl: string,
  form: Record<string, string>,
): Promise<void> {
  let url = new URL(connectUrl);
  let init: RequestInit = { method: "POST", body: new URLSearchParams(form) };
  const cookies = new Map<string, string>();
  for (let redirect = 0; redirect <= REDIRECTS_MAX; redirect += 1) {
    const response = await app(
      new Request(url, {
        ...init,
        redirect: "manual",
        headers: {
          accept: "text/html",
          origin,
          // Give each call its own address, like a separate browser, so that calls do not share one rate limit.
          "cf-connecting-ip": crypto.randomUUID(),
          cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "),
        },
      }),
    );
    init = {};
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) {
        cookies.set(name, value);
      }
    }
    const location = response.headers.get("location");
    const html = await response.text();
    if (location !== null) {
      url = new URL(location, url);
      continue;
    }
    if (!response.ok) {
      throw new BadRequest(`${url.pathname} answered ${response.status}: ${textOfPage(html)}`);
    }
    const offered = offeredAccounts(html);
    if (offered.length === 0) {
      return;
    }
    init = { method: "POST", body: new URLSearchParams(offered.map((id) => ["account", id])) };
  }
  throw new BadRequest(`more than ${REDIRECTS_MAX} redirects`);
}

/** The accounts that can be ticked on the page with the choice of accounts. Empty on any other page. */
function offeredAccounts(html: string): readonly string[] {
  return Array.from(html.matchAll(/name="account" value="([^"]*)"/g), ([, id = ""]) => id);
}

function textOfPage(html: string): string {
  return html
    .replaceAll(/<(?:style|script|head)\b[\s\S]*?<\/(?:style|script|head)>/g, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 500);
}
