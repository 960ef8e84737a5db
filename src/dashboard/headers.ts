import type { MiddlewareHandler } from "hono";
import type { PageContext, PageEnv } from "./env.ts";

const CONTENT = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

function policy(...more: string[]): string {
  return [...CONTENT, ...more].join("; ");
}

/** What every page says; a few pages loosen one line of it below. */
export const pageHeaders: MiddlewareHandler<PageEnv> = async (c, next) => {
  c.header("Content-Security-Policy", policy("form-action 'self'"));
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
 * For the pages a person walks through on the way back to an app. Chromium checks `form-action` against every hop of the
 * redirect that follows a form, also those of the app, and an opener policy would cut the app's popup off its window.
 */
export function openTheWayBack(c: PageContext): void {
  c.header("Content-Security-Policy", policy());
  c.header("Cross-Origin-Opener-Policy", "unsafe-none");
}

/** For the page whose form ends at the payment provider. */
export function allowPayment(c: PageContext): void {
  c.header(
    "Content-Security-Policy",
    policy("form-action 'self' https://checkout.stripe.com https://billing.stripe.com"),
  );
}
