import type { MiddlewareHandler } from "hono";
import type { PageEnv } from "./env.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Writes come from our own pages only. The browser says where a form comes from, in one header or the other; whoever says
 * neither is no browser and has nothing to do with forms.
 */
export const sameOrigin: MiddlewareHandler<PageEnv> = (c, next) => {
  if (SAFE.has(c.req.method)) {
    return next();
  }
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const trusted =
    site === undefined
      ? origin !== undefined && (origin === new URL(c.req.url).origin || origin === c.var.services.config.origin)
      : site === "same-origin";
  return trusted ? next() : Promise.resolve(c.text("This form was sent from another site.", 403));
};
