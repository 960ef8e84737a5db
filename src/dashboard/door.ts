import type { MiddlewareHandler } from "hono";
import { actorForSession } from "#auth/index.ts";
import type { PageEnv } from "./env.ts";
import { readSession } from "./session-cookie.ts";

/**
 * Lets in who is signed in. Only the cookie counts: a key or an access token that comes along is told so, and can therefore
 * never make keys, grants or sessions.
 */
export const door: MiddlewareHandler<PageEnv> = async (c, next) => {
  const signedIn = await actorForSession(c.var.services, readSession(c));
  if (signedIn !== null) {
    c.set("signedIn", signedIn);
    return next();
  }
  if (c.req.header("authorization") !== undefined) {
    return c.text("Sign in with a browser: keys and tokens do not open the dashboard.", 401);
  }
  // A form sent after the session ended leads back to its page, not to its address.
  const { pathname, search } = new URL(c.req.url);
  const back = c.req.method === "GET" ? `${pathname}${search}` : "/dashboard";
  return c.redirect(`/login?next=${encodeURIComponent(back)}`, 303);
};
