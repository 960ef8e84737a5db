import { Hono } from "hono";
import type { MiddlewareHandler } from "hono";
import type { Env } from "#config.ts";
import { createServices, type World } from "#context.ts";
import type { ApiContext, ApiEnv } from "#api/env.ts";
import { onError, TransportError } from "#api/errors.ts";
import { requestIdOf } from "#api/request-id.ts";
import { serveMedia } from "./serve.ts";
import { verificationFile } from "./verification.ts";

const MAX_VERIFICATION_AGE = "public, max-age=300";

function only(...methods: readonly string[]): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (methods.includes(c.req.method)) {
      return next();
    }
    const allow = methods.join(", ");
    c.header("Allow", allow);
    throw new TransportError("method_not_allowed", `${c.req.method} is not allowed here: use ${allow}`);
  };
}

function text(c: ApiContext, content: string): Response {
  return c.body(content, 200, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": MAX_VERIFICATION_AGE,
    "x-content-type-options": "nosniff",
  });
}

/** Stored files for the world, and the signed addresses that direct uploads go to; mounted at the root. */
export function createFileRoutes(worldOf: (env: Env) => World): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError(onError);

  const open: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const services = createServices(c.env, worldOf(c.env), (work) => c.executionCtx.waitUntil(work));
    c.set("services", services);
    const requestId = requestIdOf(c.req.raw, services.ids);
    c.set("requestId", requestId);
    await next();
    c.header("X-Request-Id", requestId);
  };

  app.use("/media/*", open);
  app.all("/media/:id/:filename", only("GET", "HEAD"), (c) => serveMedia(c.var.services, c.req.raw, c.req.param("id")));

  // A name at the root may belong to somebody else: only the operator's own files are answered here.
  app.get("/:name{[A-Za-z0-9._-]+}", open, async (c, next) => {
    const content = verificationFile(c.var.services.config, c.req.param("name"));
    return content === null ? next() : text(c, content);
  });
  app.get("/media/:name{[A-Za-z0-9._-]+}", async (c, next) => {
    const content = verificationFile(c.var.services.config, c.req.param("name"));
    return content === null ? next() : text(c, content);
  });
  return app;
}
