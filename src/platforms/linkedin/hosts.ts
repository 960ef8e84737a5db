import { MINUTE } from "#core/clock.ts";
import type { AppCredentials } from "#platforms/contract.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";

/** The login page, which only the user's browser opens. */
export const AUTHORIZE_URL = "https://www.linkedin.com/oauth/v2/authorization";
export const TOKEN_URL = "https://www.linkedin.com/oauth/v2/accessToken";
export const REVOKE_URL = "https://www.linkedin.com/oauth/v2/revoke";
export const API_ORIGIN = "https://api.linkedin.com";

/** The hosts that the adapter calls. LinkedIn returns upload URLs on its own subdomains. */
export const hosts = ["*.linkedin.com"] as const;

/**
 * The latest API version on 18 September 2026 (https://github.com/n8n-io/n8n/pull/39065). LinkedIn supports a version
 * for at least a year (learn.microsoft.com/linkedin/marketing/versioning): this one until about September 2027.
 */
const DEFAULT_API_VERSION = "202609";

export function apiVersionName(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? DEFAULT_API_VERSION;
}

/** The headers that every call below `/rest/` needs. */
export function restHeaders(app: AppCredentials, token: string): Record<string, string> {
  return {
    ...bearerHeader(token),
    "linkedin-version": apiVersionName(app),
    "x-restli-protocol-version": "2.0.0",
  };
}

/** The URL of an object that a URN identifies. */
export function restUrl(collection: "images" | "videos" | "documents" | "posts" | "organizations", id: string): string {
  return `${API_ORIGIN}/rest/${collection}/${encodeURIComponent(id)}`;
}

/**
 * The URL that looks up several organizations. Brackets and commas of the list must not be encoded, because Rest.li 2.0
 * reads encoded ones as text (https://linkedin.github.io/rest.li/spec/protocol).
 */
export function organizationsLookupUrl(ids: readonly string[]): string {
  return `${API_ORIGIN}/rest/organizationsLookup?ids=List(${ids.map((id) => encodeURIComponent(id)).join(",")})`;
}

export function postUrl(urn: string): string {
  return `https://www.linkedin.com/feed/update/${urn}/`;
}

/**
 * The timeout (ms) of calls that write. LinkedIn documents none, and its own clients set none: axios and requests
 * without `timeout` in https://github.com/linkedin-developers/linkedin-api-js-client and …/linkedin-api-python-client.
 * It is longer than usual, because a member's post whose answer is lost usually cannot be found.
 */
export const WRITE_TIMEOUT_MS = MINUTE;

/** The LinkedIn products of the app, from the operator's settings. They decide which scopes a login may request. */
export function productsOf(app: Pick<AppCredentials, "settings">): ReadonlySet<string> {
  return new Set((app.settings["PRODUCTS"] ?? "member").split(",").map((name) => name.trim()));
}

/** Whether the app may act for pages (Community Management API). */
export function isCommunityApp(app: Pick<AppCredentials, "settings">): boolean {
  return productsOf(app).has("community");
}
