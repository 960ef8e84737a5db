import { Hono } from "hono";
import type { Env } from "#config.ts";
import { VERSION, VERSION_HEADER } from "#core/version.ts";

/**
 * `GET /health` at the root: whether a Worker answers, and which release it is. It asks no database, so that whoever watches
 * the address every few seconds costs nothing.
 */
export const healthRoutes = new Hono<{ Bindings: Env }>();

healthRoutes.get("/health", (c) =>
  c.json({ status: "ok", version: VERSION }, 200, {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    [VERSION_HEADER]: VERSION,
  }),
);
