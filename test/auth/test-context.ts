import { env } from "cloudflare:workers";
import { createUser } from "#auth/index.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import type { Env } from "#config.ts";
import type { NewUser } from "#auth/index.ts";

/** A world in which nothing answers; tests that fetch hand in their own. */
export const silentWorld: Outbound = {
  platformFetch: () => Promise.resolve(new Response(null, { status: 599 })),
  publicFetch: () => Promise.resolve(new Response(null, { status: 599 })),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

export interface House extends Services {
  /** Everything that was put off until after the answer. */
  settled(): Promise<unknown>;
}

export function house(overrides: Partial<Env> = {}, outbound: Outbound = silentWorld): House {
  const deferred: Promise<unknown>[] = [];
  const services = createServices({ ...env, ...overrides }, outbound, (work) => deferred.push(work));
  return { ...services, settled: () => Promise.all(deferred.splice(0)) };
}

let count = 0;

export async function person(services: Services, input: Partial<NewUser> = {}) {
  const email = `person-${++count}-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const user = await createUser(services, { email, password: null, plan: "growth", ...input });
  return { ...user, email: input.email ?? email };
}
