import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { refuse } from "#core/errors.ts";
import type { Scope } from "#core/scope.ts";
import { readBody } from "./body.ts";
import { BEHIND_THE_GUARD, headers, OF_A_WRITE } from "./document/headers.ts";
import { refusalsOf } from "./document/refusals.ts";
import type { ApiEnv } from "./env.ts";
import { guard } from "./guard.ts";
import { idempotent } from "./idempotency.ts";
import { toRefusal } from "./problems.ts";

/** What an operation's file says: all that is its own. Credentials, limits and shared answers are added here. */
type OperationDefinition = RouteConfig & {
  readonly method: "get" | "post" | "delete";
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: string[];
  readonly security?: never;
  readonly middleware?: never;
};

const takeBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("body", await readBody(c));
  return next();
};

function gates(scope: Scope | null, { method, request }: OperationDefinition): MiddlewareHandler<ApiEnv>[] {
  return [guard(scope), ...(request?.body ? [takeBody] : []), ...(method === "get" ? [] : [idempotent])];
}

function withHeaders(definition: OperationDefinition): RouteConfig["responses"] {
  const fields = headers(definition.method === "get" ? BEHIND_THE_GUARD : OF_A_WRITE);
  return Object.fromEntries(
    Object.entries(definition.responses).map(([status, response]) => [
      status,
      "$ref" in response ? response : { ...response, headers: fields },
    ]),
  );
}

/**
 * An operation of the API. Its scope stands here once: the guard checks it and the document says it. `null` is for an
 * operation that any valid credential may call.
 */
export function operation<const R extends OperationDefinition>(scope: Scope | null, definition: R): R {
  const route: RouteConfig = {
    ...definition,
    ...(definition.method !== "get" && { parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }] }),
    security: [{ apiKey: [] }, { oauth2: scope === null ? [] : [scope] }],
    responses: { ...withHeaders(definition), ...refusalsOf(definition) },
    middleware: gates(scope, definition),
  };
  return sameHandler<R>(createRoute(route));
}

/** What was added above changes nothing of what the handler takes and gives, so its type stays that of the definition. */
function sameHandler<R extends OperationDefinition>(route: RouteConfig): R {
  return route as R;
}

export function newRouter(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) {
        refuse(toRefusal(result));
      }
    },
  });
}
