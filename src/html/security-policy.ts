import type { secureHeaders } from "hono/secure-headers";

/** What a page may load: only what this service serves, and images from other sites. */
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

/** The headers of a page, as the middleware takes them. */
export type SecurityPolicy = NonNullable<Parameters<typeof secureHeaders>[0]>;

export const PAGE_POLICY = {
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

/** False where the service is reached without encryption, as in development. */
export function strictTransportSecurity(origin: string): string | false {
  return origin.startsWith("https:") && "max-age=31536000; includeSubDomains";
}
