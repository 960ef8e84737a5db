import { env } from "cloudflare:workers";
import { createKey, createUser } from "#auth/index.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import { SCOPES, type Scope } from "#core/scope.ts";

export interface ApiCaller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly key: string;
}

export interface ApiCallerOptions {
  readonly plan?: Plan;
  readonly scopes?: readonly Scope[];
  readonly subscription?: SubscriptionStatus;
}

function unreachable(): never {
  throw new Error("this test asks nobody outside");
}

/** A world without a way out, for verbs that need none. */
const NO_OUTBOUND: Outbound = {
  platformFetch: unreachable,
  publicFetch: unreachable,
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

function testServices(): Services {
  return createServices(env, NO_OUTBOUND, () => {});
}

/** A user of this test alone, with a workspace, a subscription and a key. */
export async function createCaller(options: ApiCallerOptions = {}): Promise<ApiCaller> {
  const { plan = "scale", scopes = SCOPES, subscription = "active" } = options;
  const services = testServices();
  const email = `${crypto.randomUUID()}@test.example`;
  const user = await createUser(services, { email, password: null, plan, subscription });
  const { key } = await createKey(services, { userId: user.userId, name: "test", scopes, expiresInDays: null });
  return { ...user, key };
}

/** Another key of the same user. */
export async function createAnotherKey({ userId, workspaceId }: ApiCaller, scopes: readonly Scope[]): Promise<ApiCaller> {
  const { key } = await createKey(testServices(), { userId, name: "other", scopes, expiresInDays: null });
  return { userId, workspaceId, key };
}
