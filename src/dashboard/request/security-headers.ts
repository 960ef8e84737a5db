import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { CSP_DIRECTIVES, PAGE_POLICY, strictTransportSecurity } from "#html/security-policy.ts";
import type { PageContext, PageEnv } from "./env.ts";

/** Sets the security headers of every page. Functions below relax single headers for a few pages. */
export const securityHeaders: MiddlewareHandler<PageEnv> = async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
  const setHeaders = secureHeaders({
    ...(c.var.securityPolicy ?? PAGE_POLICY),
    strictTransportSecurity: strictTransportSecurity(c.var.services.config.origin),
  });
  await setHeaders(c, () => Promise.resolve());
};

/**
 * Relaxes headers for the pages of a login that ends at an app's redirect URI. Chromium checks `form-action` against
 * every address of the redirect after a form, also the app's. An opener policy would separate the app's popup from its
 * window.
 */
export function relaxFormActionCsp(c: PageContext): void {
  c.set("securityPolicy", {
    ...PAGE_POLICY,
    contentSecurityPolicy: CSP_DIRECTIVES,
    crossOriginOpenerPolicy: "unsafe-none",
  });
}

/** Lets the form of this page redirect to the payment provider. */
export function allowPaymentRedirect(c: PageContext): void {
  const formAction = ["'self'", "https://checkout.stripe.com", "https://billing.stripe.com"];
  c.set("securityPolicy", { ...PAGE_POLICY, contentSecurityPolicy: { ...CSP_DIRECTIVES, formAction } });
}
