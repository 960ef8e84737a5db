import type { AppCredentials } from "#platforms/contract.ts";

export const hosts = ["graph.threads.net", "graph.threads.com"] as const;

/**
 * The domain of Threads. https://developers.facebook.com/documentation/threads/get-started names threads.com since
 * 2026; no page announces an end of threads.net.
 */
function domain({ settings }: Pick<AppCredentials, "settings">): string {
  return settings["DOMAIN"] === "threads.com" ? "threads.com" : "threads.net";
}

export function authorizeUrl(app: AppCredentials): string {
  return `https://${domain(app)}/oauth/authorize`;
}

export function graphOrigin(app: AppCredentials): string {
  return `https://graph.${domain(app)}`;
}

/** The only version of the Threads API so far. Its versions differ from those of Meta's Graph API. */
const DEFAULT_API_VERSION = "v1.0";

export function graphUrl(app: AppCredentials): string {
  return `${graphOrigin(app)}/${app.settings["API_VERSION"] ?? DEFAULT_API_VERSION}`;
}

/** The URL that tells how many posts the account may publish. */
export function publishingLimitUrl(app: AppCredentials, accountId: string): string {
  return `${graphUrl(app)}/${encodeURIComponent(accountId)}/threads_publishing_limit`;
}

/**
 * The scope for calls that write replies (developers.facebook.com/documentation/threads/retrieve-and-manage-replies).
 * The search for a lost reply needs the scope that reads them. The login requests both, because …/create-replies does
 * not say whether a reply to an own post needs the first.
 */
export const WRITE_REPLIES_SCOPE = "threads_manage_replies";
export const THREAD_SCOPES = [WRITE_REPLIES_SCOPE, "threads_read_replies"] as const;
