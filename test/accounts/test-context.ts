import { env } from "cloudflare:workers";
import {
  chooseAccounts,
  findChoice,
  finishConnect,
  type FinishedConnect,
  type LoginStartResult,
  offerAccounts,
  startConnect,
  startLogin,
} from "#accounts/index.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Services, type Outbound } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { type Plan, PLAN_LIMITS } from "#core/plan.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import type { ScriptedPlatform } from "./scripted-platform.ts";

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new TypeError("no network in tests")),
  publicFetch: () => Promise.reject(new TypeError("no network in tests")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

export interface TestServices extends Services {
  /** Resolves when all work deferred until after the response is done. */
  deferredWork(): Promise<unknown>;
}

/** Services with one scripted platform; every other platform is not configured. */
export function createTestServices(platform: ScriptedPlatform, overrides: Record<string, string> = {}): TestServices {
  const deferred: Promise<unknown>[] = [];
  const prefix = platform.platform.toUpperCase();
  const credentials = { [`${prefix}_CLIENT_ID`]: "app", [`${prefix}_CLIENT_SECRET`]: "app-secret" };
  const services = createServices({ ...env, ...credentials, ...overrides }, outbound, (work) => deferred.push(work));
  return {
    ...services,
    adapterFor: (name: Platform) => (name === platform.platform ? platform.adapter : undefined),
    deferredWork: () => Promise.all(deferred.splice(0)),
  };
}

export async function createTestUser(services: TestServices, plan: Plan = "scale"): Promise<Context> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { userId, workspaceId } = await createUser(services, { email, password: null, plan, subscription: "active" });
  const actor: Actor = {
    userId,
    workspaceId,
    plan,
    limits: PLAN_LIMITS[plan],
    subscribed: true,
    scopes: SCOPES,
    credential: { kind: "api_key", id: "test", name: "test", confirms: "self" },
    via: "api",
    timeZone: "UTC",
    recordsEvents: false,
    workspaceFrom: "user",
    isTrial: false,
  };
  return { ...services, actor };
}

/** A login that a browser has started: what its callback needs. */
export interface BrowserLogin {
  readonly state: string;
  readonly browserToken: string;
  /** The platform's page. */
  readonly url: URL;
}

/** Requests a connect link and returns its `state`. */
export async function requestConnectState(
  ctx: Context,
  platform: Platform,
  input: Record<string, string> = {},
): Promise<string> {
  const { connectUrl } = await startConnect(ctx, { platform, input });
  return new URL(connectUrl).searchParams.get("state") ?? "";
}

/** Sends the form of the page behind a connect link. */
export async function sendStart(
  services: Services,
  platform: Platform,
  state: string,
  { method = "oauth", ...fields }: Record<string, string> = {},
): Promise<LoginStartResult> {
  return await startLogin(services, {
    platform,
    state,
    signedInUserId: null,
    method,
    text: (name) => fields[name] ?? "",
  });
}

/** Requests a connect link and starts the login in a browser. */
export async function startBrowserLogin(
  ctx: Context,
  platform: Platform,
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserLogin> {
  const state = await requestConnectState(ctx, platform);
  const started = await sendStart(ctx, platform, state, fields);
  if (started.state !== "redirect") {
    throw new Error(`the login did not start: ${JSON.stringify(started)}`);
  }
  return { state, browserToken: started.browserToken, url: started.url };
}

/** The callback of a login, in the browser that started it. */
export async function finishBrowserLogin(
  services: Services,
  platform: Platform,
  { state, browserToken }: Pick<BrowserLogin, "state" | "browserToken">,
  code: string,
): Promise<FinishedConnect> {
  return await finishConnect(services, { platform, params: { state, code }, browserToken });
}

/** A whole browser login, from start to callback; the person chooses every account that it offers. */
export async function completeConnect(ctx: Context, platform: Platform, name: string): Promise<FinishedConnect> {
  const login = await startBrowserLogin(ctx, platform);
  return await chooseAll(ctx, platform, login.state, await finishBrowserLogin(ctx, platform, login, name));
}

/** Chooses every account on the page that follows a login with several; the end of any other login stays as it is. */
export async function chooseAll(
  ctx: Context,
  platform: Platform,
  state: string,
  end: FinishedConnect,
): Promise<FinishedConnect> {
  const link = end.choice && { platform, state, browserToken: end.choice.browserToken, signedInUserId: null };
  const choice = link && (await findChoice(ctx, link));
  if (!choice) {
    return end;
  }
  const offer = await offerAccounts(ctx, choice.connection);
  const ids = offer.ok ? offer.value.accounts.map((account) => account.platformAccountId) : [];
  const chosen = await chooseAccounts(ctx, choice.connection, ids);
  if (!chosen.ok) {
    throw new Error(chosen.message);
  }
  return { ...end, ...chosen.end };
}

export async function queryRows(sql: string, ...params: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...params)
    .all();
  return results;
}
