import { PLAN_LIMITS } from "#core/plan.ts";
import { env, exports } from "cloudflare:workers";
import { finishConnect, type FinishedConnect } from "#accounts/index.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { connectInputOf } from "#sandbox/registry.ts";
import { chooseAll, requestConnectState, sendStart } from "./test-context.ts";

export const sandboxEnv = withSandboxCredentials(env);

/** A new user of the sandbox; `settled` resolves when all work deferred until after the response is done. */
export async function createSandboxUser(settings: Readonly<Record<string, string>> = {}) {
  const deferred: Promise<unknown>[] = [];
  const userEnv = { ...sandboxEnv, ...settings };
  const services = createServices(userEnv, sandboxOutbound(userEnv), (work) => deferred.push(work));
  const email = `${crypto.randomUUID()}@example.com`;
  const { userId, workspaceId } = await createUser(services, {
    email,
    password: null,
    plan: "scale",
    subscription: "active",
  });
  const credential = { kind: "api_key", id: "test", name: "test", confirms: "self" } as const;
  const ctx: Context = {
    ...services,
    actor: {
      userId,
      workspaceId,
      plan: "scale",
      limits: PLAN_LIMITS.scale,
      subscribed: true,
      scopes: SCOPES,
      credential,
      via: "api",
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user",
      isTrial: false,
    },
  };
  return { ctx, settled: () => Promise.all(deferred.splice(0)) };
}

const CALLBACK = /\/callback(?:\/(?<server>[^/]+))?$/;

/** What the address of a callback tells `finishConnect`. */
export function readCallback(url: URL) {
  return {
    server: CALLBACK.exec(url.pathname)?.groups?.["server"] ?? null,
    params: Object.fromEntries(url.searchParams),
  };
}

/** A login that has come back from the platform: our callback, and the cookie of the browser. */
export interface SandboxLogin {
  readonly url: URL;
  readonly browserToken: string;
}

/** Starts a login in a browser; `url` is the platform's page. */
export async function startSandboxLogin(
  ctx: Context,
  platform: Platform,
  login = "ada",
  input: Readonly<Record<string, string>> = connectInputOf(platform, login),
): Promise<SandboxLogin> {
  const state = await requestConnectState(ctx, platform);
  const started = await sendStart(ctx, platform, state, input);
  if (started.state !== "redirect") {
    throw new Error(`the login did not start: ${JSON.stringify(started)}`);
  }
  return { url: ctx.outbound.browserUrl(started.url, login), browserToken: started.browserToken };
}

/** Follows a login through the simulated platform's pages to our callback. */
export async function completePlatformLogin(ctx: Context, platform: Platform, login = "ada"): Promise<SandboxLogin> {
  const started = await startSandboxLogin(ctx, platform, login);
  return { ...started, url: await followToCallback(started.url) };
}

/** A whole login of a simulated user, who chooses every account that it offers. */
export async function connectInSandbox(ctx: Context, platform: Platform, login = "ada"): Promise<FinishedConnect> {
  const { url, browserToken } = await completePlatformLogin(ctx, platform, login);
  const end = await finishConnect(ctx, { platform, ...readCallback(url), browserToken });
  return await chooseAll(ctx, platform, url.searchParams.get("state") ?? "", end);
}

/** Follows a browser from the platform's page to our callback. */
export async function followToCallback(start: URL): Promise<URL> {
  let url = start;
  for (let hop = 0; hop < 5 && !CALLBACK.test(url.pathname); hop += 1) {
    const response = await exports.default.fetch(new Request(url, { redirect: "manual" }));
    url = new URL(response.headers.get("location") ?? "", url);
  }
  return url;
}
