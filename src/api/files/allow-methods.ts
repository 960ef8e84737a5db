import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "#api/env.ts";
import { TransportError } from "#api/errors.ts";

/** Answers every method except these with 405 and an `Allow` header. */
export function allowMethods(...methods: readonly string[]): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (methods.includes(c.req.method)) {
      return next();
    }
    const allow = methods.join(", ");
    c.header("Allow", allow);
    throw new TransportError("method_not_allowed", `${c.req.method} is not allowed here: use ${allow}`);
  };
}
