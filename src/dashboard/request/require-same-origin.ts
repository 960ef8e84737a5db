import type { MiddlewareHandler } from "hono";
import type { PageEnv } from "./env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Accepts writes only from our own pages (CSRF protection). Browsers send `Origin` with every write. It is compared
 * with the configured origins and not with the request's host, which an attacker's DNS name can determine (DNS
 * rebinding).
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
