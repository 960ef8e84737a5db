import { env } from "cloudflare:workers";
import { createKey, createUser } from "#auth/index.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import { insertWorkspace } from "#workspaces/store.ts";

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
  throw new Error("this test must not make outbound requests");
}

/** Fails every outbound request: the use cases called here need none. */
const NO_OUTBOUND: Outbound = {
  platformFetch: unreachable,
  publicFetch: unreachable,
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

function testServices(): Services {
  return createServices(env, NO_OUTBOUND, () => {});
}

/** Creates a user with a workspace, a subscription and an API key, for one test only. */
export async function createCaller(options: ApiCallerOptions = {}): Promise<ApiCaller> {
  const { plan = "scale", scopes = SCOPES, subscription = "active" } = options;
  const services = testServices();
  const email = `${crypto.randomUUID()}@test.example`;
  const user = await createUser(services, { email, password: null, plan, subscription });
  const { key } = await createKey(services, { userId: user.userId, name: "test", scopes, expiresInDays: null });
  return { ...user, key };
}

/** Creates another workspace of the same user; the active one stays active. */
export async function createAnotherWorkspace({ userId }: Pick<ApiCaller, "userId">, name = "Second"): Promise<string> {
  const { db, ids, clock } = testServices();
  const id = ids.uuid();
  await insertWorkspace(db, { id, userId, name, createdAt: clock.now() }, Number.MAX_SAFE_INTEGER);
  return id;
}

/** Creates another API key of the same user; with a workspace, one that is pinned to it. */
export async function createAnotherKey(
  { userId, workspaceId }: ApiCaller,
  scopes: readonly Scope[],
  pin: string | null = null,
): Promise<ApiCaller> {
  const input = { userId, name: "other", scopes, expiresInDays: null, workspaceId: pin };
  const { key } = await createKey(testServices(), input);
  return { userId, workspaceId: pin ?? workspaceId, key };
}
