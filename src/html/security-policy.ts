import type { secureHeaders } from "hono/secure-headers";

/** What a page may load: only files of this service, and images from other sites. */
export const CSP_DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "https:", "data:"],
  mediaSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The security headers of a page, in the form that Hono's middleware takes. */
export type SecurityPolicy = NonNullable<Parameters<typeof secureHeaders>[0]>;

export const PAGE_POLICY = {
  contentSecurityPolicy: { ...CSP_DIRECTIVES, formAction: ["'self'"] },
  xFrameOptions: "DENY",
  // `no-referrer` would make browsers send `Origin: null` with our own forms, which are then refused.
  referrerPolicy: "same-origin",
  permissionsPolicy: { camera: false, geolocation: false, microphone: false, payment: false },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  // Keep a header that the page has set itself.
  overwrite: false,
} as const satisfies SecurityPolicy;

/** The `Strict-Transport-Security` header. False if the service has no encryption, as in development. */
export function strictTransportSecurity(origin: string): string | false {
  return origin.startsWith("https:") && "max-age=31536000; includeSubDomains";
}
