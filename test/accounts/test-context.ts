import { env } from "cloudflare:workers";
import { finishConnect, type FinishedConnect, startConnect } from "#accounts/index.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Services, type Outbound } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import type { Plan } from "#core/plan.ts";
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
    subscribed: true,
    scopes: SCOPES,
    credential: { kind: "api_key", id: "test" },
    via: "api",
  };
  return { ...services, actor };
}

/** Starts a login and returns its `state`. */
export async function startConnectState(ctx: Context, platform: Platform): Promise<string> {
  const { connectUrl } = await startConnect(ctx, { platform });
  return new URL(connectUrl).searchParams.get("state") ?? "";
}

/** A whole browser login, from start to callback. */
export async function completeConnect(ctx: Context, platform: Platform, name: string): Promise<FinishedConnect> {
  const state = await startConnectState(ctx, platform);
  return await finishConnect(ctx, { platform, params: { state, code: name } });
}

export async function queryRows(sql: string, ...params: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...params)
    .all();
  return results;
}
