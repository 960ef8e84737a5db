import { env } from "cloudflare:workers";
import { createUser } from "#auth/index.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import type { Env } from "#config.ts";
import type { NewUser, SignInClient } from "#auth/index.ts";

/** Whoever tries to sign in from a network in which nobody has signed in before. */
export const STRANGER: SignInClient = { id: "network:192.0.2.1", isKnown: false };

/** Outbound fetches that all fail; tests that need a response pass their own. */
export const unreachableOutbound: Outbound = {
  platformFetch: () => Promise.resolve(new Response(null, { status: 599 })),
  publicFetch: () => Promise.resolve(new Response(null, { status: 599 })),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

export interface TestContext extends Services {
  /** Waits for all work that was deferred until after the response. */
  waitForDeferred(): Promise<unknown>;
}

export function createTestContext(overrides: Partial<Env> = {}, outbound: Outbound = unreachableOutbound): TestContext {
  const deferred: Promise<unknown>[] = [];
  const services = createServices({ ...env, ...overrides }, outbound, (work) => deferred.push(work));
  return { ...services, waitForDeferred: () => Promise.all(deferred.splice(0)) };
}

let userCount = 0;

export async function createTestUser(services: Services, input: Partial<NewUser> = {}) {
  const email = `user-${++userCount}-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const user = await createUser(services, { email, password: null, plan: "growth", ...input });
  return { ...user, email: input.email ?? email };
}
