import type { MiddlewareHandler } from "hono";
import type { PageEnv } from "./env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Accepts writes from our own pages only (CSRF protection). Browsers send the origin of a form in `Sec-Fetch-Site` or `Origin`; a request
 * with neither is not from a browser and is refused.
 */
export const requireSameOrigin: MiddlewareHandler<PageEnv> = (c, next) => {
  if (SAFE_METHODS.has(c.req.method)) {
    return next();
  }
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const trusted =
    site === undefined
      ? origin !== undefined && (origin === new URL(c.req.url).origin || origin === c.var.services.config.origin)
      : site === "same-origin";
  return trusted ? next() : Promise.resolve(c.text("This form was submitted from another site.", 403));
};
