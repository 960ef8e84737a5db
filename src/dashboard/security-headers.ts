import type { MiddlewareHandler } from "hono";
import type { PageContext, PageEnv } from "./env.ts";

const CSP_DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

function contentSecurityPolicy(...directives: string[]): string {
  return [...CSP_DIRECTIVES, ...directives].join("; ");
}

/** The headers of every page; the functions below relax single headers for a few pages. */
export const securityHeaders: MiddlewareHandler<PageEnv> = async (c, next) => {
  c.header("Content-Security-Policy", contentSecurityPolicy("form-action 'self'"));
  c.header("X-Frame-Options", "DENY");
  c.header("X-Content-Type-Options", "nosniff");
  // `no-referrer` would turn the Origin of our own forms into `null`.
  c.header("Referrer-Policy", "same-origin");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Cross-Origin-Resource-Policy", "same-origin");
  c.header("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  c.header("Cache-Control", "no-store");
  if (c.var.services.config.origin.startsWith("https:")) {
    c.header("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  }
  await next();
};

/**
 * For the pages of a login that ends at an app's redirect URI. Chromium checks `form-action` against every hop of the
 * redirect that follows a form, also those of the app, and an opener policy would separate the app's popup from its window.
 */
export function relaxFormActionCsp(c: PageContext): void {
  c.header("Content-Security-Policy", contentSecurityPolicy());
  c.header("Cross-Origin-Opener-Policy", "unsafe-none");
}

/** For the page whose form redirects to the payment provider. */
export function allowPaymentRedirect(c: PageContext): void {
  c.header(
    "Content-Security-Policy",
    contentSecurityPolicy("form-action 'self' https://checkout.stripe.com https://billing.stripe.com"),
  );
}
