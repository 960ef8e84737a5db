import type { MiddlewareHandler } from "hono";
import { authenticate } from "#auth/index.ts";
import { type Actor, requireSubscription } from "#core/actor.ts";
import { refuse } from "#core/errors.ts";
import { PLAN_LIMITS, type Plan } from "#core/plan.ts";
import { type Scope, SCOPES } from "#core/scope.ts";
import type { Config, Env } from "#config.ts";
import type { ApiContext, ApiEnv } from "./env.ts";

const LIMITER = {
  starter: "LIMIT_STARTER",
  growth: "LIMIT_GROWTH",
  scale: "LIMIT_SCALE",
} as const satisfies Record<Plan, keyof Env>;

const WINDOW_SECONDS = 60;
const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(":read"));

/** RFC 9728 3.1: the metadata of a resource with a path has that path behind the well-known part. */
function resourceMetadataUrl(config: Pick<Config, "baseUrl">): string {
  const { origin, pathname } = new URL(config.baseUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

function challenge(c: ApiContext, scopes: readonly Scope[], error?: "invalid_token" | "insufficient_scope"): void {
  const parts = [
    `resource_metadata="${resourceMetadataUrl(c.var.services.config)}"`,
    `scope="${scopes.join(" ")}"`,
    ...(error ? [`error="${error}"`] : []),
  ];
  c.header("WWW-Authenticate", `Bearer ${parts.join(", ")}`);
}

function refuseForNow(c: ApiContext, message: string): never {
  c.header("Retry-After", String(WINDOW_SECONDS));
  refuse({ code: "rate_limited", message });
}

/** Junk is cheap to send and costs us a hash or a read: one address may only send so much of it. */
async function refuseStranger(c: ApiContext, scope: Scope | null, reason: "missing" | "invalid"): Promise<never> {
  // An agent asks for exactly what the first challenge names, so the read scopes come along with the one it needs.
  const scopes = scope === null ? READ_SCOPES : [...new Set([...READ_SCOPES, scope])];
  if (reason === "missing") {
    challenge(c, scopes);
    refuse({
      code: "unauthenticated",
      message: "send an API key or an access token as `Authorization: Bearer <token>`",
    });
  }
  const address = c.req.raw.headers.get("cf-connecting-ip") ?? "unknown";
  const { success } = await c.env.LIMIT_ANONYMOUS.limit({ key: `junk:${address}` });
  if (!success) {
    refuseForNow(c, "too many invalid credentials from this address: wait a minute");
  }
  challenge(c, scopes, "invalid_token");
  refuse({ code: "unauthenticated", message: "the credential is unknown, expired or revoked" });
}

async function limit(c: ApiContext, { plan, credential }: Actor): Promise<void> {
  const { requestsPerMinute } = PLAN_LIMITS[plan];
  c.header("RateLimit-Policy", `"${plan}";q=${requestsPerMinute};w=${WINDOW_SECONDS}`);
  const { success } = await c.env[LIMITER[plan]].limit({ key: credential.id });
  if (!success) {
    c.header("RateLimit", `"${plan}";r=0;t=${WINDOW_SECONDS}`);
    refuseForNow(c, `over ${requestsPerMinute} requests in a minute: wait a minute`);
  }
}

/** Lets a caller through who proves who they are, holds the scope, and has a subscription; in this order. */
export function guard(scope: Scope | null): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { services } = c.var;
    const proof = await authenticate(services, c.req.raw.headers.get("authorization"));
    if (!proof.ok) {
      return refuseStranger(c, scope, proof.reason);
    }
    const { actor } = proof;
    await limit(c, actor);
    if (scope !== null && !actor.scopes.includes(scope)) {
      challenge(c, [scope], "insufficient_scope");
      refuse({ code: "insufficient_scope", message: `the credential lacks the scope ${scope}` });
    }
    requireSubscription(actor);
    c.set("ctx", { ...services, actor });
    return next();
  };
}
