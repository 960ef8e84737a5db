import { Hono, type MiddlewareHandler } from "hono";
import type { ApiContext, ApiEnv } from "#api/env.ts";
import { onError } from "#api/errors.ts";
import { getRequestId } from "#wire/request-id.ts";
import type { Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { allowMethods } from "./allow-methods.ts";
import { serveCalendar } from "./calendar.ts";
import { serveMedia } from "./serve.ts";
import { uploadRoutes } from "./upload.ts";
import { findVerificationFile } from "./verification.ts";

const CALENDAR_FILES = "/calendar/:file{[^/]+\\.ics}";

function textResponse(c: ApiContext, content: string): Response {
  return c.body(content, 200, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
  });
}

/**
 * Serves the files with which the operator proves to a platform that the host is theirs. Every request at the root
 * passes here, so reading the setting must be enough.
 */
const serveVerificationFile: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const content = findVerificationFile(c.env["MEDIA_VERIFICATION_FILES"], c.req.path.split("/").at(-1) ?? "");
  return content === null ? next() : textResponse(c, content);
};

/**
 * Serves stored media and calendar feeds, and receives direct uploads to signed URLs. The routes are mounted at the
 * root.
 */
export function createFileRoutes(createOutbound: (env: Env) => Outbound): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError(onError);

  app.get("/:name{[A-Za-z0-9._-]+}", serveVerificationFile);
  app.get("/media/:name{[A-Za-z0-9._-]+}", serveVerificationFile);

  app.on("ALL", ["/media/*", CALENDAR_FILES], async (c, next) => {
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    c.set("services", services);
    const requestId = getRequestId(c.req.raw, services.ids);
    c.set("requestId", requestId);
    await next();
    c.res.headers.set("X-Request-Id", requestId);
  });
  app.route("/", uploadRoutes);
  app.all("/media/:id/:filename", allowMethods("GET", "HEAD"), (c) =>
    serveMedia(c.var.services, c.req.raw, c.req.param("id")),
  );
  app.all("/media/*", () => refuse({ code: "not_found", message: "there is nothing at this URL" }));
  app.all(CALENDAR_FILES, allowMethods("GET", "HEAD"), (c) =>
    serveCalendar(c, c.req.param("file").slice(0, -".ics".length)),
  );
  return app;
}
