import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { refuse } from "#core/errors.ts";
import type { Scope } from "#core/scope.ts";
import { isTable, readBody, readText } from "./body.ts";
import { AUTHENTICATED_HEADERS, headerReferences, WRITE_HEADERS } from "./headers.ts";
import { errorResponsesFor } from "./error-responses.ts";
import type { ApiEnv } from "./env.ts";
import { guard } from "./guard.ts";
import { idempotent, type LargeResponse } from "./idempotency.ts";
import { toRefusal } from "#wire/validation-refusal.ts";
import { assertWellFormed } from "#wire/well-formed.ts";

/** The part of an operation that its own file defines. `operation` adds credentials, headers and error responses. */
type OperationDefinition = RouteConfig & {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Without it, the first word of the path. */
  readonly tags?: string[];
  readonly security?: never;
  readonly middleware?: never;
  readonly largeResponse?: LargeResponse;
  /** Set it when a call other than GET never causes an event. */
  readonly hasNoEvents?: true;
  /** The operation also accepts a table: the handler reads it from `csv`, and its hook runs instead of it. */
  readonly acceptsCsv?: true;
};

const storeBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("body", await readBody(c));
  return next();
};

const storeBodyOrTable: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!isTable(c.req.raw)) {
    return await storeBody(c, next);
  }
  const csv = await readText(c);
  assertWellFormed(csv);
  c.set("csv", csv);
  // The idempotency key compares this with later calls.
  c.set("body", { csv, query: new URL(c.req.url).search });
  return next();
};

function middlewareFor(
  scopes: readonly Scope[],
  { method, request, largeResponse, hasNoEvents, acceptsCsv }: OperationDefinition,
): MiddlewareHandler<ApiEnv>[] {
  return [
    guard(scopes, { changes: method !== "get" && hasNoEvents !== true }),
    ...(request?.body ? [acceptsCsv ? storeBodyOrTable : storeBody] : []),
    ...(method === "get" ? [] : [idempotent(largeResponse)]),
  ];
}

function withHeaders(definition: OperationDefinition): RouteConfig["responses"] {
  const fields = headerReferences(definition.method === "get" ? AUTHENTICATED_HEADERS : WRITE_HEADERS);
  return Object.fromEntries(
    Object.entries(definition.responses).map(([status, response]) => [
      status,
      "$ref" in response ? response : { ...response, headers: fields },
    ]),
  );
}

/**
 * Defines an operation of the API. The guard and the document both read the scopes from here: the credential needs all of them, and `null`
 * allows any valid credential.
 */
export function operation<const R extends OperationDefinition>(
  needed: Scope | readonly Scope[] | null,
  definition: R,
): R {
  const scopes = needed === null ? [] : [needed].flat();
  const { operationId, largeResponse: _, hasNoEvents: __, acceptsCsv: ___, ...documented } = definition;
  const route: RouteConfig = {
    operationId,
    tags: [definition.path.split("/")[1] ?? ""],
    ...documented,
    // Not declared as a parameter: imported collections would send its example or a placeholder, the same one with every call.
    ...(definition.method !== "get" && {
      description: `${definition.description} Safe to repeat with the header \`Idempotency-Key\`.`,
    }),
    security: [{ apiKey: [] }, { oauth2: [...scopes] }],
    responses: { ...withHeaders(definition), ...errorResponsesFor(definition) },
    middleware: middlewareFor(scopes, definition),
  };
  return withHandlerTypeOf<R>(createRoute(route));
}

/** `operation` adds nothing that changes the input or output of the handler, so the type of the definition stays correct. */
function withHandlerTypeOf<R extends OperationDefinition>(route: RouteConfig): R {
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
