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

/** What the file of an operation defines itself. `operation` adds credentials, headers and error responses. */
type OperationDefinition = RouteConfig & {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The tags in the OpenAPI document. The default is the first word of the path. */
  readonly tags?: string[];
  readonly security?: never;
  readonly middleware?: never;
  readonly largeResponse?: LargeResponse;
  /** Set if no call of the operation causes an event, so that webhooks need not be notified. Unnecessary for GET. */
  readonly hasNoEvents?: true;
  /**
   * Set if the operation also accepts a CSV table. The operation's hook then runs instead of the handler and reads the
   * text from `csv`.
   */
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
  // The check of an idempotency key compares bodies. A table's query belongs to the content, so it is part of the
  // compared value.
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
 * Defines an API operation. The guard and the document both read the scopes from here. The credential needs all
 * `scopes`; `null` allows any valid credential.
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
    // The `Idempotency-Key` header is left out of the parameters: tools that import the document would send one example
    // key with every call.
    ...(definition.method !== "get" && {
      description: `${definition.description} Safe to repeat with the header \`Idempotency-Key\`.`,
    }),
    security: [{ apiKey: [] }, { oauth2: [...scopes] }],
    responses: { ...withHeaders(definition), ...errorResponsesFor(definition) },
    middleware: middlewareFor(scopes, definition),
  };
  return withHandlerTypeOf<R>(createRoute(route));
}

/**
 * Restores the type of the definition. The cast is safe, because `operation` changes neither input nor output of the
 * handler.
 */
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
