import { Hono } from "hono";
import type { Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { VERSION, VERSION_HEADER } from "#core/version.ts";
import { isOperator } from "#wire/operator-key.ts";

const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  [VERSION_HEADER]: VERSION,
};

/**
 * `GET /health` says whether a Worker answers, and its release. Without a key it does not read the database, so that
 * polling every few seconds costs nothing. With the operator's key it checks every part, and a 503 names the parts that
 * fail.
 */
export function createHealthRoutes(createOutbound: (env: Env) => Outbound): Hono<{ Bindings: Env }> {
  const routes = new Hono<{ Bindings: Env }>();
  routes.get("/health", async (c) => {
    if (c.req.header("authorization") === undefined) {
      return c.json({ status: "ok", version: VERSION }, 200, HEADERS);
    }
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    if (!isOperator(services.config, c.req.raw.headers)) {
      return c.json({ status: "unauthenticated", version: VERSION }, 401, { ...HEADERS, "WWW-Authenticate": "Bearer" });
    }
    const { checkHealth } = await import("#metrics/index.ts");
    const parts = await checkHealth(services);
    const isOk = Object.values(parts).every((state) => state === "ok");
    return c.json({ status: isOk ? "ok" : "failing", version: VERSION, parts }, isOk ? 200 : 503, HEADERS);
  });
  return routes;
}
