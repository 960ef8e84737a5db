import type { AppCredentials } from "#platforms/contract.ts";
import { bearer } from "#platforms/form.ts";

/** The browser goes here; we never do. */
export const AUTHORIZE_URL = "https://www.linkedin.com/oauth/v2/authorization";
export const TOKEN_URL = "https://www.linkedin.com/oauth/v2/accessToken";
export const REVOKE_URL = "https://www.linkedin.com/oauth/v2/revoke";
export const API = "https://api.linkedin.com";

/** Upload addresses are told by LinkedIn and stand on its own domain. */
export const hosts = ["*.linkedin.com"] as const;

/** A version lives a year at least (learn.microsoft.com/linkedin/marketing/versioning): this one until about September 2027. */
const VERSION = "202609";

/** What every call below `/rest/` must carry. */
export function restHeaders(app: AppCredentials, token: string): Record<string, string> {
  return {
    ...bearer(token),
    "linkedin-version": app.settings["API_VERSION"] ?? VERSION,
    "x-restli-protocol-version": "2.0.0",
  };
}

/** The address of something that is named by a URN. */
export function restUrl(collection: "images" | "videos" | "posts" | "organizations", id: string): string {
  return `${API}/rest/${collection}/${encodeURIComponent(id)}`;
}

export function postUrl(urn: string): string {
  return `https://www.linkedin.com/feed/update/${urn}/`;
}
