import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { CSP_DIRECTIVES, PAGE_POLICY, strictTransportSecurity } from "#html/security-policy.ts";
import type { PageContext, PageEnv } from "./env.ts";

/** The headers of every page; the functions below relax single headers for a few pages. */
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
 * For the pages of a login that ends at an app's redirect URI. Chromium checks `form-action` against every hop of the
 * redirect that follows a form, also those of the app, and an opener policy would separate the app's popup from its window.
 */
export function relaxFormActionCsp(c: PageContext): void {
  c.set("securityPolicy", {
    ...PAGE_POLICY,
    contentSecurityPolicy: CSP_DIRECTIVES,
    crossOriginOpenerPolicy: "unsafe-none",
  });
}

/** For the page whose form redirects to the payment provider. */
export function allowPaymentRedirect(c: PageContext): void {
  const formAction = ["'self'", "https://checkout.stripe.com", "https://billing.stripe.com"];
  c.set("securityPolicy", { ...PAGE_POLICY, contentSecurityPolicy: { ...CSP_DIRECTIVES, formAction } });
}
