import { MINUTE } from "#core/clock.ts";
import type { AppCredentials } from "#platforms/contract.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";

/** Only the user's browser opens it. */
export const AUTHORIZE_URL = "https://www.linkedin.com/oauth/v2/authorization";
export const TOKEN_URL = "https://www.linkedin.com/oauth/v2/accessToken";
export const REVOKE_URL = "https://www.linkedin.com/oauth/v2/revoke";
export const API_ORIGIN = "https://api.linkedin.com";

/** LinkedIn returns upload URLs on subdomains of its own. */
export const hosts = ["*.linkedin.com"] as const;

/**
 * The latest one on 18 September 2026 (https://github.com/n8n-io/n8n/pull/39065). LinkedIn supports a version for at least a year
 * (learn.microsoft.com/linkedin/marketing/versioning): this one until about September 2027.
 */
const DEFAULT_API_VERSION = "202609";

export function apiVersionName(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? DEFAULT_API_VERSION;
}

/** Every call below `/rest/` needs these headers. */
export function restHeaders(app: AppCredentials, token: string): Record<string, string> {
  return {
    ...bearerHeader(token),
    "linkedin-version": apiVersionName(app),
    "x-restli-protocol-version": "2.0.0",
  };
}

/** The URL of an object that is identified by a URN. */
export function restUrl(collection: "images" | "videos" | "documents" | "posts" | "organizations", id: string): string {
  return `${API_ORIGIN}/rest/${collection}/${encodeURIComponent(id)}`;
}

/** A list keeps its brackets and commas: Rest.li 2.0 reads encoded ones as text (https://linkedin.github.io/rest.li/spec/protocol). */
export function organizationsLookupUrl(ids: readonly string[]): string {
  return `${API_ORIGIN}/rest/organizationsLookup?ids=List(${ids.map((id) => encodeURIComponent(id)).join(",")})`;
}

export function postUrl(urn: string): string {
  return `https://www.linkedin.com/feed/update/${urn}/`;
}

/**
 * For calls that write. LinkedIn documents no time limit, and its own clients set none: axios and requests without `timeout`
 * in https://github.com/linkedin-developers/linkedin-api-js-client and …/linkedin-api-python-client. For most members nobody
 * can find a post whose answer is lost, so this waits longer than usual.
 */
export const WRITE_TIMEOUT_MS = MINUTE;

/** The LinkedIn products of the app, which decide what it may request; the operator configures them. */
export function productsOf(app: Pick<AppCredentials, "settings">): ReadonlySet<string> {
  return new Set((app.settings["PRODUCTS"] ?? "member").split(",").map((name) => name.trim()));
}

/** Whether the app may act for pages (the Community Management API). */
export function isCommunityApp(app: Pick<AppCredentials, "settings">): boolean {
  return productsOf(app).has("community");
}
