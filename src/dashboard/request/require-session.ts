import type { MiddlewareHandler, Next } from "hono";
import { resolveSession, type SignedInUser } from "#auth/index.ts";
import { wakeSenders } from "#webhooks/index.ts";
import type { PageContext, PageEnv } from "./env.ts";
import { readSession } from "./session-cookie.ts";

/**
 * Requires a signed-in user. Only the session cookie counts: a request with an API key or access token is refused, so
 * that neither can create keys, grants or sessions.
 */
export const requireSession: MiddlewareHandler<PageEnv> = async (c, next) => {
  const signedIn = await resolveSession(c.var.services, readSession(c));
  if (signedIn !== null) {
    return continueWith(c, signedIn, next);
  }
  if (c.req.header("authorization") !== undefined) {
    return c.text("Sign in with a browser: the dashboard does not accept API keys or access tokens.", 401);
  }
  return redirectToSignIn(c);
};

/**
 * Requires sign-in for pages to which agents link. It ignores an API credential, and after sign-in the browser returns
 * to the page.
 */
export const requireSignIn: MiddlewareHandler<PageEnv> = async (c, next) => {
  const signedIn = await resolveSession(c.var.services, readSession(c));
  if (signedIn === null) {
    return redirectToSignIn(c);
  }
  return continueWith(c, signedIn, next);
};

/** Continues with the page. After a form, the webhooks are notified of the events that it caused. */
async function continueWith(c: PageContext, signedIn: SignedInUser, next: Next): Promise<void> {
  c.set("signedIn", signedIn);
  await next();
  const { recordsEvents, workspaceId } = signedIn.actor;
  if (recordsEvents && c.req.method !== "GET") {
    c.var.services.defer(wakeSenders(c.var.services, workspaceId));
  }
}

function redirectToSignIn(c: PageContext): Response {
  // A browser cannot open the path of a form with GET, so sign-in after a form leads to the dashboard.
  const { pathname, search } = new URL(c.req.url);
  const returnPath = c.req.method === "GET" ? `${pathname}${search}` : "/dashboard";
  return c.redirect(`/login?next=${encodeURIComponent(returnPath)}`, 303);
}
