import { env, exports } from "cloudflare:workers";
import { startConnect } from "#accounts/index.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";

export const sandboxEnv = withSandboxCredentials(env);

/** A new user of the sandbox; `settled` resolves when all work deferred until after the response is done. */
export async function createSandboxUser() {
  const deferred: Promise<unknown>[] = [];
  const services = createServices(sandboxEnv, sandboxOutbound(sandboxEnv), (work) => deferred.push(work));
  const email = `${crypto.randomUUID()}@example.com`;
  const { userId, workspaceId } = await createUser(services, {
    email,
    password: null,
    plan: "scale",
    subscription: "active",
  });
  const credential = { kind: "api_key", id: "test" } as const;
  const ctx: Context = {
    ...services,
    actor: { userId, workspaceId, plan: "scale", subscribed: true, scopes: SCOPES, credential, via: "api" },
  };
  return { ctx, settled: () => Promise.all(deferred.splice(0)) };
}

/** Follows a login through the simulated platform's pages; returns the URL of our callback. */
export async function completePlatformLogin(ctx: Context, platform: Platform, login = "ada"): Promise<URL> {
  const { connectUrl } = await startConnect(ctx, { platform });
  let url = new URL(connectUrl);
  url.searchParams.set("login", login);
  for (let hop = 0; hop < 5 && !url.pathname.endsWith("/callback"); hop += 1) {
    const answer = await exports.default.fetch(new Request(url, { redirect: "manual" }));
    url = new URL(answer.headers.get("location") ?? "", url);
  }
  return url;
}
