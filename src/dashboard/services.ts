import type { MiddlewareHandler } from "hono";
import { createServices } from "#context.ts";
import type { PageEnv, WorldOf } from "./env.ts";

/** Opens the house for one request. */
export function withServices(worldOf: WorldOf): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    c.set(
      "services",
      createServices(c.env, worldOf(c.env), (work) => c.executionCtx.waitUntil(work)),
    );
    return next();
  };
}
