import type { HonoRequest, MiddlewareHandler } from "hono";
import type { Config } from "#config.ts";
import type { PageEnv } from "./env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a form was sent from one of our own pages. Browsers send `Origin` with every write. It is compared with the
 * configured origins and not with the request's host, which an attacker's DNS name can determine (DNS rebinding).
 */
export function isFromOurPages(request: HonoRequest, config: Pick<Config, "origin" | "authUrl">): boolean {
  const site = request.header("sec-fetch-site");
  const origin = request.header("origin");
  // mutant: no-origin-needed
  const isOurs = origin === new URL(config.origin).origin || origin === new URL(config.authUrl).origin;
  return isOurs && (site === undefined || site === "same-origin");
}

/** Accepts writes only from our own pages (CSRF protection). */
export const requireSameOrigin: MiddlewareHandler<PageEnv> = (c, next) => {
  const { config } = c.var.services;
  return SAFE_METHODS.has(c.req.method) || isFromOurPages(c.req, config)
    ? next()
    : Promise.resolve(c.text(`This form was submitted from another site. Open ${config.origin} and try again.`, 403));
};
