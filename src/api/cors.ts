import { VERSION_HEADER } from "#core/version.ts";
import { WORKSPACE_HEADER } from "#wire/workspace-header.ts";

const EXPOSED_HEADERS = [
  "Allow",
  VERSION_HEADER,
  WORKSPACE_HEADER,
  "Idempotent-Replayed",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

const PREFLIGHT_FIELDS = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers": `Authorization, Content-Type, Idempotency-Key, ${WORKSPACE_HEADER}, MCP-Protocol-Version, X-Request-Id`,
  "Access-Control-Max-Age": "86400",
};

/**
 * Any origin may call the API. The API accepts no cookies, so a page of another site cannot use its visitor's
 * credentials.
 */
export const CORS_HEADERS: readonly (readonly [string, string])[] = [
  ["Access-Control-Allow-Origin", "*"],
  ["Access-Control-Expose-Headers", EXPOSED_HEADERS],
];

export const PREFLIGHT_HEADERS: readonly (readonly [string, string])[] = Object.entries(PREFLIGHT_FIELDS);
