import { Hono } from "hono";
import { createConnectRoutes } from "#dashboard/connect/index.ts";
import { createOAuth, createPages } from "#dashboard/index.ts";
import type { Env } from "./config.ts";
import type { Outbound } from "./context.ts";

/** What people see in a browser, and OAuth. */
export function createBrowserPages(createOutbound: (env: Env) => Outbound): Hono<{ Bindings: Env }> {
  const pages = createPages(createOutbound);
  const app = new Hono<{ Bindings: Env }>();
  app.route("/", createOAuth(createOutbound));
  app.route("/", createConnectRoutes(createOutbound));
  // Last, because the pages also render the 404 page for every unknown path.
  app.all("*", (c) => pages.fetch(c.req.raw, c.env, c.executionCtx));
  return app;
}
