import type { MiddlewareHandler, Next } from "hono";
import { resolveSession, type SignedInUser } from "#auth/index.ts";
import { wakeSenders } from "#webhooks/index.ts";
import type { PageContext, PageEnv } from "./env.ts";
import { readSession } from "./session-cookie.ts";

/**
 * Requires a signed-in user. Only the session cookie counts: a request with an API key or access token is refused, so that these can
 * never create keys, grants or sessions.
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

/** For pages that agents link to. They ignore an API credential, and sign-in leads back to the page. */
export const requireSignIn: MiddlewareHandler<PageEnv> = async (c, next) => {
  const signedIn = await resolveSession(c.var.services, readSession(c));
  if (signedIn === null) {
    return redirectToSignIn(c);
  }
  return continueWith(c, signedIn, next);
};

/** After a form, the webhooks learn of the events that it caused. */
async function continueWith(c: PageContext, signedIn: SignedInUser, next: Next): Promise<void> {
  c.set("signedIn", signedIn);
  await next();
  const { recordsEvents, workspaceId } = signedIn.actor;
  if (recordsEvents && c.req.method !== "GET") {
    c.var.services.defer(wakeSenders(c.var.services, workspaceId));
  }
}

function redirectToSignIn(c: PageContext): Response {
  // The path of a form cannot be opened with GET: after sign-in such a request continues at the dashboard.
  const { pathname, search } = new URL(c.req.url);
  const returnPath = c.req.method === "GET" ? `${pathname}${search}` : "/dashboard";
  return c.redirect(`/login?next=${encodeURIComponent(returnPath)}`, 303);
}
