import { type Config, readConfig } from "#config.ts";
import type { SandboxEnv } from "./env.ts";
import { BadRequest } from "./refusal.ts";

const HOPS_MAX = 5;

type Fetch = (request: Request) => Promise<Response>;

interface Connecting {
  readonly api_key: string;
  readonly platform: string;
  readonly login: string;
}

/** Takes the way a person takes: asks for the connect URL, walks through the browser pages to the callback, then syncs. */
export async function connectAccount(env: SandboxEnv, app: Fetch, input: Connecting): Promise<unknown[]> {
  const config = readConfig(env);
  const started = await call(app, config, input, "/accounts", { platform: input.platform });
  const entrance = new URL(String(started["connect_url"]));
  entrance.searchParams.set("login", input.login);
  await walk(app, entrance);
  const synced = await call(app, config, input, "/accounts/sync");
  const accounts = Array.isArray(synced["accounts"]) ? (synced["accounts"] as { platform?: unknown }[]) : [];
  return accounts.filter((account) => account.platform === input.platform);
}

async function call(app: Fetch, config: Config, { api_key }: Connecting, path: string, body?: object) {
  const answer = await app(
    new Request(config.baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const said = await answer.json<Record<string, unknown>>();
  if (!answer.ok) {
    throw new BadRequest(`POST ${path} answered ${answer.status}: ${String(said["error"])}`);
  }
  return said;
}

/** Follows redirects until a page is shown, as a browser does. */
async function walk(app: Fetch, entrance: URL): Promise<void> {
  let at = entrance;
  const cookies = new Map<string, string>();
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    const answer = await app(
      new Request(at, {
        redirect: "manual",
        headers: { accept: "text/html", cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ") },
      }),
    );
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) {
        cookies.set(name, value);
      }
    }
    const location = answer.headers.get("location");
    const page = await answer.text();
    if (location === null) {
      if (!answer.ok) {
        throw new BadRequest(`${at.pathname} answered ${answer.status}: ${sentences(page)}`);
      }
      return;
    }
    at = new URL(location, at);
  }
  throw new BadRequest(`the browser was sent around more than ${HOPS_MAX} times`);
}

/** The text of a page without its markup. */
function sentences(page: string): string {
  return page
    .replaceAll(/<(?:style|script|head)\b[\s\S]*?<\/(?:style|script|head)>/g, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 500);
}
