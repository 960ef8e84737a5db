import type { MiddlewareHandler } from "hono";
import { authenticate, type OpenCredential, presentedCredential, rememberedCaller } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { type Actor, requireSubscription } from "#core/actor.ts";
import { refuse } from "#core/errors.ts";
import { type Scope, SCOPES } from "#core/scope.ts";
import { bearerChallenge } from "#wire/bearer-challenge.ts";
import { countInvalidCredential, countRequest, rateLimitPolicy, WINDOW_SECONDS } from "#wire/rate-limit.ts";
import { MALFORMED_WORKSPACE, namedWorkspace, UNKNOWN_WORKSPACE, WORKSPACE_HEADER } from "#wire/workspace-header.ts";
import { wakeSenders } from "#webhooks/index.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import { firstAttemptOf, secondAttempt } from "./second-attempt.ts";

const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(":read"));

function setChallengeHeader(
  c: ApiContext,
  scopes: readonly Scope[],
  error?: "invalid_token" | "insufficient_scope",
): void {
  c.header("WWW-Authenticate", bearerChallenge(c.get("services").config.baseUrl, scopes, error));
}

function refuseRateLimited(c: ApiContext, message: string): never {
  c.header("Retry-After", String(WINDOW_SECONDS));
  refuse({ code: "rate_limited", message });
}

async function refuseUnauthenticated(
  c: ApiContext,
  scopes: readonly Scope[],
  reason: "missing" | "invalid",
): Promise<never> {
  // An OAuth client requests only the scopes that its first challenge names. The read scopes are added, so that it can
  // also read.
  const requested = [...new Set([...READ_SCOPES, ...scopes])];
  if (reason === "missing") {
    setChallengeHeader(c, requested);
    refuse({
      code: "unauthenticated",
      message: "send an API key or an access token as `Authorization: Bearer <token>`",
    });
  }
  if (!(await countInvalidCredential(c.env, c.req.raw.headers))) {
    refuseRateLimited(c, "too many invalid credentials from this address: wait a minute");
  }
  setChallengeHeader(c, requested, "invalid_token");
  refuse({ code: "unauthenticated", message: "the credential is unknown, expired or revoked" });
}

async function enforceRateLimit(c: ApiContext, actor: Parameters<typeof countRequest>[1]): Promise<void> {
  c.header("RateLimit-Policy", rateLimitPolicy(actor));
  const exceeded = await countRequest(c.env, actor);
  if (exceeded) {
    c.header("RateLimit", `"${exceeded.policy}";r=0;t=${WINDOW_SECONDS}`);
    refuseRateLimited(c, exceeded.message);
  }
}

// mutant: no-scope-check
const mayCall = (actor: Pick<Actor, "scopes">, scopes: readonly Scope[]) =>
  scopes.every((scope) => actor.scopes.includes(scope));

/**
 * Returns the remembered caller if every check passes. Null otherwise, because only a freshly verified credential may
 * be refused.
 */
async function admitRemembered(c: ApiContext, credential: OpenCredential, scopes: readonly Scope[]) {
  const caller = firstAttemptOf(c.req.raw) ? null : await rememberedCaller(c.get("services"), credential);
  if (caller === null || !caller.ctx.actor.subscribed || !mayCall(caller.ctx.actor, scopes)) {
    return null;
  }
  return (await countRequest(c.env, caller.ctx.actor)) === null ? caller : null;
}

/**
 * Requires a valid credential, then checks the rate limit, the scopes and the subscription, in this order. If `changes`
 * is set, webhooks are notified after the response.
 */
export function guard(scopes: readonly Scope[], { changes }: { readonly changes: boolean }): MiddlewareHandler<ApiEnv> {
  const tellWebhooks = (services: Services, actor: Actor) => {
    if (changes && actor.recordsEvents) {
      services.defer(wakeSenders(services, actor.workspaceId));
    }
  };
  return async (c, next) => {
    const services = c.get("services");
    const { headers } = c.req.raw;
    const named = namedWorkspace(headers);
    const presented = await presentedCredential(headers.get("authorization"), services.config.baseUrl, named.id);
    if (!presented.ok) {
      return refuseUnauthenticated(c, scopes, presented.reason);
    }
    const remembered = named.isMalformed ? null : await admitRemembered(c, presented, scopes);
    if (remembered !== null) {
      const { ctx } = remembered;
      c.header("RateLimit-Policy", rateLimitPolicy(ctx.actor));
      c.header(WORKSPACE_HEADER, ctx.actor.workspaceId);
      c.set("ctx", ctx);
      await next();
      const verification = await remembered.verify();
      if (verification === "unchanged") {
        return tellWebhooks(services, ctx.actor);
      }
      // The credential has changed since it was remembered. Discard the response, because this caller may no longer be
      // allowed to see it.
      c.res = undefined;
      c.res = await c.get("dispatch")(
        secondAttempt(c, { mayRunAgain: verification === "changed" }),
        c.env,
        c.executionCtx,
      );
      return;
    }
    const authentication = await authenticate(services, presented);
    if (!authentication.ok && authentication.reason !== "unknown_workspace") {
      return refuseUnauthenticated(c, scopes, authentication.reason);
    }
    // mutant: credential-in-log
    const caller = authentication.ok ? authentication.actor : authentication.caller;
    if (authentication.ok) {
      c.header(WORKSPACE_HEADER, authentication.actor.workspaceId);
    }
    await enforceRateLimit(c, caller);
    if (!mayCall(caller, scopes)) {
      setChallengeHeader(c, scopes, "insufficient_scope");
      const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
      refuse({ code: "insufficient_scope", message: `the credential lacks the scope ${missing.join(" and ")}` });
    }
    requireSubscription(caller);
    if (named.isMalformed) {
      refuse(MALFORMED_WORKSPACE);
    }
    if (!authentication.ok) {
      return refuse(UNKNOWN_WORKSPACE);
    }
    const { actor } = authentication;
    if (firstAttemptOf(c.req.raw)?.mayRunAgain === false) {
      throw new Error("the answer of the database to a write was lost");
    }
    c.set("ctx", { ...services, actor });
    await next();
    tellWebhooks(services, actor);
  };
}
