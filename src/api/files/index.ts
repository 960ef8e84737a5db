import { Hono, type MiddlewareHandler } from "hono";
import type { ApiContext, ApiEnv } from "#api/env.ts";
import { onError } from "#api/errors.ts";
import { requestIdOf } from "#api/request-id.ts";
import type { Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { only } from "./methods.ts";
import { serveMedia } from "./serve.ts";
import { uploadRoutes } from "./upload.ts";
import { verificationFile } from "./verification.ts";

function sendText(c: ApiContext, content: string): Response {
  return c.body(content, 200, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
  });
}

/** The operator's own small files; the setting is read without building anything, since every root address comes by. */
const verification: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const content = verificationFile(c.env["MEDIA_VERIFICATION_FILES"], c.req.path.split("/").at(-1) ?? "");
  return content === null ? next() : sendText(c, content);
};

/** Stored files for the outbound, and the signed addresses that direct uploads go to; mounted at the root. */
export function createFileRoutes(createOutbound: (env: Env) => Outbound): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError(onError);

  app.get("/:name{[A-Za-z0-9._-]+}", verification);
  app.get("/media/:name{[A-Za-z0-9._-]+}", verification);

  app.use("/media/*", async (c, next) => {
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    c.set("services", services);
    const requestId = requestIdOf(c.req.raw, services.ids);
    c.set("requestId", requestId);
    await next();
    c.res.headers.set("X-Request-Id", requestId);
  });
  app.route("/", uploadRoutes);
  app.all("/media/:id/:filename", only("GET", "HEAD"), (c) => serveMedia(c.var.services, c.req.raw, c.req.param("id")));
  app.all("/media/*", () => refuse({ code: "not_found", message: "there is nothing at this address" }));
  return app;
}
