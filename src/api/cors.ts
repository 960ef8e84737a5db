const EXPOSED = [
  "Allow",
  "Idempotent-Replayed",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, MCP-Protocol-Version, X-Request-Id",
  "Access-Control-Max-Age": "86400",
};

/** Any origin may call: cookies are no credential here, so there is nothing that another site's page could borrow. */
export const CORS_HEADERS: readonly (readonly [string, string])[] = [
  ["Access-Control-Allow-Origin", "*"],
  ["Access-Control-Expose-Headers", EXPOSED],
];

export const PREFLIGHT_HEADERS: readonly (readonly [string, string])[] = Object.entries(PREFLIGHT);
