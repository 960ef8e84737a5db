import type { MiddlewareHandler } from "hono";
import { createServices } from "#context.ts";
import type { PageEnv, OutboundFactory } from "./env.ts";

export function withServices(createOutbound: OutboundFactory): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    c.set(
      "services",
      createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work)),
    );
    return next();
  };
}
