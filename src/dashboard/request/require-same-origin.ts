import type { MiddlewareHandler } from "hono";
import type { PageEnv } from "./env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Accepts writes from our own pages only (CSRF protection). Browsers send `Origin` with every write. It is compared with the configured
 * origins and never with the host of the request, which another name that leads here (DNS rebinding) determines.
 */
export const requireSameOrigin: MiddlewareHandler<PageEnv> = (c, next) => {
  if (SAFE_METHODS.has(c.req.method)) {
    return next();
  }
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const { config } = c.var.services;
  // mutant: no-origin-needed
  const isOurs = origin === new URL(config.origin).origin || origin === new URL(config.authUrl).origin;
  return isOurs && (site === undefined || site === "same-origin")
    ? next()
    : Promise.resolve(c.text(`This form was submitted from another site. Open ${config.origin} and try again.`, 403));
};
