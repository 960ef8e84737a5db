import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { PageContext, PageEnv } from "./env.ts";

const CSP_DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "https:", "data:"],
  mediaSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

export type SecurityPolicy = NonNullable<Parameters<typeof secureHeaders>[0]>;

const PAGE_POLICY = {
  contentSecurityPolicy: { ...CSP_DIRECTIVES, formAction: ["'self'"] },
  xFrameOptions: "DENY",
  // `no-referrer` would turn the Origin of our own forms into `null`.
  referrerPolicy: "same-origin",
  permissionsPolicy: { camera: false, geolocation: false, microphone: false, payment: false },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  // A page that sets a header itself keeps it.
  overwrite: false,
} as const satisfies SecurityPolicy;

/** The headers of every page; the functions below relax single headers for a few pages. */
export const securityHeaders: MiddlewareHandler<PageEnv> = async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
  const isSecure = c.var.services.config.origin.startsWith("https:");
  const setHeaders = secureHeaders({
    ...(c.var.securityPolicy ?? PAGE_POLICY),
    strictTransportSecurity: isSecure && "max-age=31536000; includeSubDomains",
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
